import type { ProvenAccount } from '../domain/connect/decide-link.ts';
import type { ProgramAccount } from '../domain/connect/program-account.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { VelocityRule } from '../domain/organisation.ts';

/**
 * The program gave no reply, or an unreadable one. The points may have moved, or the request may arrive later. So this
 * outcome never counts as a rejection.
 */
export interface Unknown {
  readonly kind: 'unknown';
  /** `no reply in time`, `status 503`: for operators. */
  readonly cause: string;
  /** The pause that the program asked for. */
  readonly retryAfterSeconds?: number;
}

/** The outcome of posting a transaction to a loyalty program. */
export type PostingOutcome =
  /** The posting is done. The program may give its own reference, and the balance after the posting. */
  | { readonly kind: 'confirmed'; readonly reference?: string; readonly balance?: number }
  /** Rejected for good. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Received; the answer comes later. */
  | { readonly kind: 'accepted' }
  | Unknown;

/** An account number that a person names, and the proof that the account is theirs. */
interface ClaimedAccount {
  readonly memberId: string;
  /** A PIN, password or one-time code. */
  readonly proof: string;
}

/** The program did not answer while a person waited. */
export class ProgramUnavailableError extends Error {
  override readonly name = 'ProgramUnavailableError';

  constructor(cause: string) {
    super('The loyalty program does not answer; try again later', { cause });
  }
}

/** The port to a partner's system of record. */
export interface LoyaltyProgram {
  /** Whether the platform's own ledger is the program, so every posting is confirmed immediately. */
  readonly isHosted: boolean;
  /** The rules by which its rewards are held for review; absent without rules. */
  readonly velocityRules?: readonly VelocityRule[] | undefined;
  /**
   * Checks a proof. Takes the same time whether the account is known or not. The caller counts the attempt before the
   * check.
   *
   * @param account the account as the platform stores it, when the platform hosts the program
   * @returns undefined when the proof is wrong
   * @throws ProgramUnavailableError when the program does not answer
   */
  readonly verify: (claimed: ClaimedAccount, account: ProgramAccount | undefined) => Promise<ProvenAccount | undefined>;
  /**
   * Posts a transaction, or a reversal (`reverses`), which moves the points the other way. Safe to repeat: the
   * transaction's UUID is the idempotency key.
   */
  readonly post: (transaction: RewardTransaction) => Promise<PostingOutcome>;
  /** Asks the program for the state of a posting. `not_found`: the program has not stored it. */
  readonly query: (transaction: RewardTransaction) => Promise<PostingOutcome | { readonly kind: 'not_found' }>;
  /**
   * Undoes a posting, because another program rejected the other leg. Safe to repeat, even if the posting never
   * arrived.
   */
  readonly takeBack: (transaction: RewardTransaction) => Promise<{ readonly kind: 'done' } | Unknown>;
  /**
   * Posts a settlement. When the transaction returned points that settled what the member owed, `points` is below zero:
   * the program takes these points again. When a reversal was rejected after its shortfall was settled, `points` is
   * above zero: the member gets the settled points back. Safe to repeat.
   */
  readonly settle: (transaction: RewardTransaction, points: number) => Promise<PostingOutcome>;
  /** Asks for all points of a member's account, held ones included. */
  readonly balance: (memberId: string) => Promise<ProgramBalance>;
}

/** A balance as the program gives it. */
type ProgramBalance = { readonly kind: 'found'; readonly points: number } | { readonly kind: 'not_found' } | Unknown;
