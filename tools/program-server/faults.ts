/** The faults that a test can request from the program. */

/** The calls of the contract, by the last part of their paths. */
export const callNames = ['verify', 'balance', 'transactions', 'query', 'cancel'] as const;
export type CallName = (typeof callNames)[number];

export const faultKinds = [
  /** Carries out the call after `ms` milliseconds. */
  'slow',
  /** Replies with `status` (500) and does nothing. */
  'fail',
  /** Carries out the call and replies with `status` (500). */
  'fail_after',
  /** Does nothing and never replies. */
  'hang',
  /** Carries out the call and never replies. */
  'hang_after',
  /** Does nothing and closes the connection. */
  'reset',
  /** Carries out the call and closes the connection. */
  'reset_after',
  /** Carries out the call and replies with something that is not JSON. */
  'garbage',
  /** Carries out the call, replies, and also reports the answer to the platform twice. */
  'answer_twice',
  /** Carries out the call, replies, and loses the transaction afterwards. */
  'forget',
  /** Adds `points` to every balance in its replies. */
  'lie',
  /**
   * Stores the transaction. Answers it after `ms` milliseconds, or when a test requests it, and then reports to the
   * platform.
   */
  'accept',
  /** Rejects the transaction with `reason`. */
  'reject',
] as const;
type FaultKind = (typeof faultKinds)[number];

/** A fault that a test has requested. */
export interface Fault {
  readonly fault: FaultKind;
  /** The call that fails; if absent, every call fails. */
  readonly call?: CallName;
  /** Only for this account, or this transaction. */
  readonly member_id?: string;
  readonly transaction_uuid?: string;
  /** How often the fault occurs; if absent, until the faults are removed. */
  times?: number;
  readonly ms?: number;
  readonly status?: number;
  /** Seconds, for the header `Retry-After`. */
  readonly retry_after?: number;
  readonly points?: number;
  readonly reason?: string;
}

/** The faults of a program, in the order in which tests requested them. */
export class Faults {
  #ordered: Fault[] = [];

  order(fault: Fault): void {
    this.#ordered.push({ ...fault });
  }

  clear(): void {
    this.#ordered = [];
  }

  /** Returns the first fault that applies to a call, and counts its use. */
  meet(call: CallName, request: Readonly<Record<string, unknown>>): Fault | undefined {
    const met = this.#ordered.find(
      (fault) =>
        (fault.call === undefined || fault.call === call) &&
        (fault.member_id === undefined || fault.member_id === request.member_id) &&
        (fault.transaction_uuid === undefined || fault.transaction_uuid === request.transaction_uuid),
    );
    if (met?.times !== undefined) {
      met.times -= 1;
      if (met.times <= 0) this.#ordered = this.#ordered.filter((fault) => fault !== met);
    }
    return met;
  }
}

/** Ways in which a server can break the contract permanently. The conformance kit is tested against each of them. */
export const defects = [
  'accepts_unsigned_requests',
  'ignores_the_age_of_requests',
  'knows_only_the_first_signature',
  'signs_the_parsed_body',
  'tells_unknown_accounts_from_wrong_proofs',
  'verifies_any_proof',
  'applies_repeated_transactions_again',
  'applies_parallel_transactions_again',
  'takes_other_content_for_a_known_transaction',
  'answers_a_repeated_rejection_with_a_confirmation',
  'overdraws',
  'refuses_reversals_below_zero',
  'stores_queried_transactions',
  'answers_unknown_transactions_with_404',
  'cancels_twice',
  'applies_transactions_after_their_cancellation',
  'ignores_cancellations',
  'refuses_unknown_fields',
  'replies_in_another_format',
  'crashes_on_malformed_requests',
  'replies_slowly',
] as const;
export type Defect = (typeof defects)[number];
