import type { ProvenAccount } from '../domain/connect/decide-link.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { ProgramAccount } from '../store/member/program-accounts.ts';

/** The answer of a loyalty program to a posted transaction. */
export type PostingOutcome =
  /** Done, with the program's own reference if it has one. */
  | { readonly kind: 'confirmed'; readonly reference?: string }
  /** Rejected for good. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Received; the answer comes later. */
  | { readonly kind: 'accepted' };

/** One attempt of a person to prove that an account is theirs. Claim it before the proof is checked. */
interface ProofAttempt {
  /** Counts the attempt. @returns false while too many wrong proofs lock the account */
  readonly claim: () => Promise<boolean>;
  /** Checks the proof, in the same time for an unknown account. @returns undefined when the proof is wrong */
  readonly check: (proof: string) => Promise<ProvenAccount | undefined>;
  /** Records that the proof was right, which ends the count of wrong ones. */
  readonly succeed: () => Promise<void>;
}

/** The port to a partner's system of record. */
export interface LoyaltyProgram {
  /** @param account the account as the platform stores it, when the platform hosts the program */
  readonly startProof: (memberId: string, account: ProgramAccount | undefined) => ProofAttempt;
  /**
   * Posts a transaction, or a reversal (`reverses`), which moves the points the other way. Safe to repeat: the
   * transaction's UUID is the idempotency key.
   */
  readonly post: (transaction: RewardTransaction) => Promise<PostingOutcome>;
  /** Undoes a confirmed posting, because another program rejected the other leg. Safe to repeat. */
  readonly takeBack: (transaction: RewardTransaction) => Promise<void>;
}
