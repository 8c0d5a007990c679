import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { type Finalizing, finalizeTransactions } from '../../shared/operations/finalize-transactions.ts';

/** A pending transaction, or both legs of a transfer. */
export type Legs = RewardTransaction | readonly RewardTransaction[];

/** The program confirms a transaction. Returns whether this answer counted. */
export function confirm(answered: Legs, deps: Finalizing, reference?: string): Promise<boolean> {
  const legs = [answered].flat();
  return finalizeTransactions({ legs, answer: { kind: 'confirmed', references: legs.map(() => reference) } }, deps);
}

/** The program rejects a transaction, the first one of several. Returns whether this answer counted. */
export function reject(answered: Legs, reason: string, deps: Finalizing): Promise<boolean> {
  const legs = [answered].flat();
  return finalizeTransactions({ legs, answer: { kind: 'rejected', rejectedId: legs[0]?.id ?? 0, reason } }, deps);
}
