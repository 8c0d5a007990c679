/** What the platform promises to cost, as data: `npm run bench` prints it beside the figures, the tests hold it. */

/** What the requests of one endpoint may take at most. What is not named is measured and not promised. */
export interface CostPromise {
  /** Round trips one after the other when the credential has to be looked up. */
  readonly coldRoundTrips?: number;
  /** The same when the credential is in the function's memory. */
  readonly warmRoundTrips?: number;
  readonly writeUnits?: number;
  readonly readUnits?: number;
}

const read: CostPromise = { coldRoundTrips: 2, warmRoundTrips: 1 };

/** By endpoint (`<host>/<name>`), for each of its cases; a case with a promise of its own follows in brackets. */
export const costPromises: Readonly<Record<string, CostPromise>> = {
  'base/get-user': read,
  // One more than of anybody: what is left of 365 counters, as much as after some weeks.
  'base/get-user (a year of a daily limit)': { ...read, readUnits: 3.5 },
  'base/get-partnership': read,
  'base/get-transaction': read,
  'user/get-user-status': read,
  'reward/get-transaction': read,
  'base/send-trigger': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/list-campaigns': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/list-templates': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/simulate-campaigns': read,
  // Whose identifier it is has to be known before the user can be read; all else is read meanwhile.
  'campaign/simulate-campaigns (external id)': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'order/create-order': { coldRoundTrips: 4, warmRoundTrips: 3 },
  'order/refund-order': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'reward/authenticate-transaction': { coldRoundTrips: 3 },
  'reward/create-transaction': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 14 },
};

/**
 * What a request that names itself with an `Idempotency-Key` adds to what its endpoint promises: the key is
 * claimed before the work, and the reply is kept after it.
 */
export const idempotencyKeyAdds = { roundTrips: 2, writeUnits: 2 } as const;

/** Of every function behind an API; consumers start seldom, and nobody waits for them. */
export const startupPromise = {
  sizeKb: 500,
  /** Import time, as a multiple of a bare handler's. */
  importRatio: 1.25,
} as const;

/** Of evaluating campaigns, beside json-rules-engine at the same campaigns and facts. */
export const enginePromise = { timesAsFast: 20 } as const;

/** Of purchases through the local platform, beside what DynamoDB Local can do of the same writes alone. */
export const purchasePromise = { ceilingShare: 0.6 } as const;
