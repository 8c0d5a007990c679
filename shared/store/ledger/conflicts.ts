import type { AwardClaim } from '../../domain/award/claim.ts';

/** Write conflicts: another request changed what a decision about rewards depends on. Nothing was written. */

/** The balance of the member does not cover the reservation. */
export class InsufficientPointsError extends Error {
  override readonly name = 'InsufficientPointsError';

  constructor() {
    super('the balance does not cover the reservation');
  }
}

/** Other rewards of the member use, or may use, a limit that the decision counted on: it has to be decided again. */
export class LimitConflictError extends Error {
  override readonly name = 'LimitConflictError';

  constructor() {
    super('other rewards of the member used its limits meanwhile');
  }
}

/** Another request changed the award claim. */
export class ClaimConflictError extends Error {
  override readonly name = 'ClaimConflictError';
  /** As it is now; undefined when it is gone. */
  readonly claim: AwardClaim | undefined;

  constructor(claim: AwardClaim | undefined) {
    super('another request changed the award claim');
    this.claim = claim;
  }
}

/** A transaction, its refunds, or the balance that a reversal counts on is not as it was read: it has to be decided again. */
export class TransactionConflictError extends Error {
  override readonly name = 'TransactionConflictError';

  constructor(options: ErrorOptions) {
    super('another request changed a transaction, its refunds or the balance', options);
  }
}
