import type { AwardClaim } from '../../domain/award/claim.ts';

/** Why a reward was not written: others were there first. Nothing was changed. */

/** The member's balance does not cover the reservation any more. */
export class InsufficientPointsError extends Error {
  override readonly name = 'InsufficientPointsError';

  constructor() {
    super('the balance does not cover the reservation');
  }
}

/** What the decision counted on is, or may be, used up by now: it has to be made again. */
export class LimitConflictError extends Error {
  override readonly name = 'LimitConflictError';

  constructor() {
    super('other rewards of the member used its limits meanwhile');
  }
}

/** Another request was first: the purchase is there, in another state than was thought. */
export class ClaimConflictError extends Error {
  override readonly name = 'ClaimConflictError';
  /** As it is now; undefined when it is gone. */
  readonly claim: AwardClaim | undefined;

  constructor(claim: AwardClaim | undefined) {
    super('the purchase was changed by another request');
    this.claim = claim;
  }
}
