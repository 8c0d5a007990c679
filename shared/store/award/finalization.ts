import type { AwardRejection } from '../../domain/award/finalization.ts';
import { afterChange, type Finalizable } from '../../domain/award/finalization.ts';
import type { Key, Write } from '../table/items.ts';

/** An order or trigger event in its new state. */
interface Finalized extends Finalizable {
  readonly state: string;
  readonly rejection?: AwardRejection | undefined;
}

/**
 * The write of a changed order or trigger event, on the condition that it has not changed since it was read and that
 * its state allows the new one.
 *
 * @param before the states that may precede the new one
 * @param along other attributes to change
 */
export function finalizationWrite(
  key: Key,
  finalized: Finalized,
  { before, along = {} }: { readonly before: readonly string[]; readonly along?: Readonly<Record<string, unknown>> },
): Write {
  const { state, transactionIds, rejection, updatedAt, revision } = afterChange(finalized);
  return {
    kind: 'update',
    key,
    changes: {
      set: { ...along, state, transactionIds, updatedAt, revision, ...(rejection !== undefined && { rejection }) },
    },
    when: [
      { attribute: 'revision', is: '=', value: finalized.revision },
      { attribute: 'state', is: 'in', values: [state, ...before] },
    ],
  };
}
