import type { Purchase } from '../../domain/award/claim.ts';

/** Why a reward was not written: others were there first. Nothing was changed. */

/** The member's balance does not cover the reservation any more. */
export class InsufficientPoints extends Error {
  override readonly name = 'InsufficientPoints';

  constructor() {
    super('the balance does not cover the reservation');
  }
}

/** What the decision counted on is, or may be, used up by now: it has to be made again. */
export class LimitsUsed extends Error {
  override readonly name = 'LimitsUsed';

  constructor() {
    super('other rewards of the member used its limits meanwhile');
  }
}

/** Another request was first: the purchase is there, in another state than was thought. */
export class PurchaseChanged extends Error {
  override readonly name = 'PurchaseChanged';
  /** As it is now; undefined when it is gone. */
  readonly purchase: Purchase | undefined;

  constructor(purchase: Purchase | undefined) {
    super('the purchase was changed by another request');
    this.purchase = purchase;
  }
}
