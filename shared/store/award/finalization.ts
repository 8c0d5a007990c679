import type { AwardRejection } from '../../domain/award/decide-awards.ts';
import { afterChange, type Finalizable } from '../../domain/award/finalization.ts';
import type { Key, Write } from '../table/items.ts';

/** Something as it is to be written, in the state that it is in then. */
interface Settled extends Finalizable {
  readonly state: string;
  readonly rejection?: AwardRejection | undefined;
}

/**
 * The write of a change of something that is rewarded after it came, on the condition that no other came
 * before it and its state allows it.
 *
 * @param before the states that it may be in for the state that it is to be in
 * @param along what else of it changes
 */
export function finalizationWrite(
  key: Key,
  thing: Settled,
  { before, along = {} }: { readonly before: readonly string[]; readonly along?: Readonly<Record<string, unknown>> },
): Write {
  const { state, transactionIds, rejection, updatedAt, revision } = afterChange(thing);
  return {
    kind: 'update',
    key,
    changes: {
      set: { ...along, state, transactionIds, updatedAt, revision, ...(rejection !== undefined && { rejection }) },
    },
    when: [
      { attribute: 'revision', is: '=', value: thing.revision },
      { attribute: 'state', is: 'in', values: [state, ...before] },
    ],
  };
}
