import type { RewardTransaction } from '../domain/transaction/reward-transaction.ts';

/** What a loyalty program says of a transaction that was posted to it. */
type PostingOutcome =
  /** Done; the program's own reference, if it has one. */
  | { readonly kind: 'confirmed'; readonly reference?: string }
  /** Refused for good. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Taken; the answer comes later. */
  | { readonly kind: 'accepted' };

/** The port to a partner's system of record. */
export interface LoyaltyProgram {
  /** Posts a transaction. Safe to repeat: the transaction's UUID is its idempotency key. */
  readonly post: (transaction: RewardTransaction) => Promise<PostingOutcome>;
}
