import type { AwardRejection } from '../domain/transaction/awards.ts';
import { afterChange, type Settling } from '../domain/transaction/settlement.ts';
import type { Key, Write } from './writes.ts';

/** Something as it is to be written, in the state that it is in then. */
interface Settled extends Settling {
  readonly state: string;
  readonly rejection?: AwardRejection | undefined;
}

/**
 * The write of a change of something that is rewarded after it came, on the condition that no other came
 * before it and its state allows it.
 *
 * @param before the states that it may be in for the state that it is to be in
 */
export function settlementWrite(key: Key, thing: Settled, before: readonly string[]): Write {
  const { state, transactionIds, rejection, updatedAt, revision } = afterChange(thing);
  return {
    kind: 'update',
    key,
    changes: { set: { state, transactionIds, updatedAt, revision, ...(rejection !== undefined && { rejection }) } },
    when: [
      { attribute: 'revision', is: '=', value: thing.revision },
      { attribute: 'state', is: 'in', values: [state, ...before] },
    ],
  };
}
