import type { ProvenAccount } from '../domain/connect/decide-link.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';

/** What a loyalty program says of a transaction that was posted to it. */
export type PostingOutcome =
  /** Done; the program's own reference, if it has one. */
  | { readonly kind: 'confirmed'; readonly reference?: string }
  /** Refused for good. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Taken; the answer comes later. */
  | { readonly kind: 'accepted' };

/** How a person proves to hold an account: what it knows of it. */
interface AccountProof {
  /** The account's id in the program, as the person wrote it. */
  readonly memberId: string;
  /** A PIN, password or one-time code, as the program wants it. */
  readonly proof: string;
}

/** The port to a partner's system of record. */
export interface LoyaltyProgram {
  /** The account, when the proof is right; nothing else is told of a wrong one, be there such an account or not. */
  readonly verify: (proof: AccountProof) => Promise<ProvenAccount | undefined>;
  /**
   * Posts a transaction, or the reversal of one (`reverses`), which moves its points the other way. Safe to
   * repeat: the transaction's UUID is its idempotency key.
   */
  readonly post: (transaction: RewardTransaction) => Promise<PostingOutcome>;
  /** Takes back what was posted and confirmed, because what belongs to it was rejected elsewhere. Safe to repeat. */
  readonly takeBack: (transaction: RewardTransaction) => Promise<void>;
}
