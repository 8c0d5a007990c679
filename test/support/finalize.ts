import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { type Finalizing, finalizeTransactions } from '../../shared/operations/posting/finalize-transactions.ts';

/** A pending transaction, or both legs of a pending transfer. */
export type Legs = RewardTransaction | readonly RewardTransaction[];

/** Confirms a transaction as its program would. Returns whether the answer had an effect. */
export function confirm(answered: Legs, deps: Finalizing, reference?: string): Promise<boolean> {
  const legs = [answered].flat();
  return finalizeTransactions({ legs, answer: { kind: 'confirmed', references: legs.map(() => reference) } }, deps);
}

/** Rejects the first of the transactions as its program would. Returns whether the answer had an effect. */
export function reject(answered: Legs, reason: string, deps: Finalizing): Promise<boolean> {
  const legs = [answered].flat();
  return finalizeTransactions({ legs, answer: { kind: 'rejected', rejectedId: legs[0]?.id ?? 0, reason } }, deps);
}
