/** The promises of cost and speed, as data. `npm run bench` prints them beside the figures; tests check them. */

/** The most that a request of an endpoint may cost. Absent figures are measured but not promised. */
export interface CostPromise {
  /** Round trips one after the other, if the function has to read the credential. */
  readonly coldRoundTrips?: number;
  /** Round trips one after the other, if the function has the credential in memory. */
  readonly warmRoundTrips?: number;
  readonly writeUnits?: number;
  readonly readUnits?: number;
}

const read: CostPromise = { coldRoundTrips: 2, warmRoundTrips: 1 };

/**
 * The promise of each endpoint (`<host>/<name>`), valid for all its cases. A case with a different promise has an entry
 * of its own, with the name of the case in brackets.
 */
export const costPromises: Readonly<Record<string, CostPromise>> = {
  'base/get-user': read,
  // A member who used a daily limit for a year costs one unit more than other members: the read includes the daily
  // counters of the last weeks. Older counters are deleted.
  'base/get-user (a year of a daily limit)': { ...read, readUnits: 3.5 },
  // The partnership is read before its campaigns. So a request for a foreign partnership takes as long as for an absent
  // partnership.
  'base/get-partnership': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'base/get-transaction': read,
  'user/get-user-status': read,
  'reward/get-transaction': read,
  // Four round trips one after the other: (1) reads the session; (2) reads everything else and counts the attempt of the
  // session; (3) counts the attempt for account, organisation and address; (4) writes. If the account is linked already,
  // there is a fifth.
  'base/link-account': { coldRoundTrips: 4, warmRoundTrips: 4 },
  'base/submit-connect-page': { coldRoundTrips: 4, warmRoundTrips: 4 },
  // Five round trips one after the other: the client; the code; the identifiers; the members that they lead to; the
  // write of link and tokens. Two of the write units are for the account of a hosted program: the link is counted there,
  // so that no operator changes or closes the account at the same time.
  'base/issue-token (authorization_code)': { coldRoundTrips: 5, warmRoundTrips: 4, writeUnits: 28 },
  // Three round trips one after the other: the client; the refresh token; the write of the new tokens.
  'base/issue-token (refresh_token)': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 12 },
  // Round trips: the member with the list of its grants; the grants; the write; the list of tokens; the tokens; their
  // revocation.
  'base/unlink-account': { coldRoundTrips: 7, warmRoundTrips: 6 },
  'user/unlink-own-account': { coldRoundTrips: 7 },
  // One read: the payment account with its key. The call to the bus is not counted, because it is no call to the table.
  'base/receive-payment': { coldRoundTrips: 1, warmRoundTrips: 1, readUnits: 1, writeUnits: 0 },
  // First the member and the registry, then the write of the association.
  'base/update-attributes': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 2 },
  'base/send-trigger': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/list-campaigns': { coldRoundTrips: 3, warmRoundTrips: 2, readUnits: 4 },
  'campaign/list-templates': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/simulate-campaigns': read,
  // First the external id, then the user: two round trips. All other reads run in parallel with these.
  'campaign/simulate-campaigns (external id)': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'order/create-order': { coldRoundTrips: 4, warmRoundTrips: 3 },
  // First the order, by its UUID and by its external id. Then the merchant's campaigns and the order's refunds. Then
  // the claims. Then all transactions.
  'order/get-order': { coldRoundTrips: 5, warmRoundTrips: 4 },
  'order/refund-order': { coldRoundTrips: 3, warmRoundTrips: 2 },
  // The transaction, then its claim and order, then the write.
  'reward/refund-transaction': { coldRoundTrips: 4, warmRoundTrips: 3 },
  'reward/authenticate-transaction': { coldRoundTrips: 3 },
  // The only write is the item of the refused attempt. It is no part of a DynamoDB transaction, which would double its
  // write units.
  'reward/authenticate-transaction (refused)': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 2 },
  'reward/create-transaction': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 14 },
};

/**
 * The cost of an `Idempotency-Key` in addition to the endpoint's own cost. The key is claimed before the endpoint's own
 * writes. The reply is stored in the same DynamoDB transaction as those writes.
 */
export const idempotencyKeyAdds = { roundTrips: 1, writeUnits: 3 } as const;

/**
 * One purchase from endpoint 1 to COMPLETED, with every webhook to merchant and partner. The units are the most that
 * one purchase costs while no other work runs. The dollars are those of docs/cost.md at a hundred purchases per second.
 */
export const journeyPromise = { purchaseWriteUnits: 34, purchaseDollarsPerMillion: 56 } as const;

/**
 * The promise for every function behind an API. Consumers have no promise, because they start seldom and no caller
 * waits for them.
 */
export const startupPromise = {
  sizeKb: 500,
  /** Import time as a multiple of a bare handler's. */
  importRatio: 1.25,
} as const;

/** Evaluation of campaigns, compared with json-rules-engine for the same campaigns and facts. */
export const enginePromise = { timesAsFast: 25 } as const;

/**
 * The loads that the platform has to carry, according to the model of `npm run bench scale`, after quotas and settings
 * are raised.
 */
export const scaleGoals = {
  loads: [
    { perSecond: 1_000, merchants: 1, partners: 1 },
    { perSecond: 10_000, merchants: 100, partners: 100 },
  ],
  /** The names of the limits that make these loads impossible until the code changes; there are none. */
  knownBlockers: [],
  /** The most seconds by which the totals of a campaign may be behind its ledger entries. */
  counterSeconds: 5,
} as const;

/** Delivery of webhooks, compared with bare Node that signs and posts to the same receivers in the same run. */
export const webhookPromise = {
  /** How many deliveries the delivery engine makes on two cores. */
  deliveriesPerSecond: 1_000,
  /** The engine's deliveries per second as a share of bare Node's. */
  ceilingShare: 0.4,
  /**
   * Of 100 endpoints, one hangs and one is dead: the p99 of the healthy endpoints, as a multiple of the p99 when all
   * endpoints are healthy.
   */
  healthyRatio: 1.2,
  /** The most requests to an endpoint that is dead for an hour. */
  requestsToDead: 40,
  /** Lost deliveries in any scenario. */
  lost: 0,
} as const;

/** The memory of `npm start` with all its processes, in megabytes, while 32 clients use it. */
export const memoryPromise = {
  /** At any time, also during the start. */
  peakMb: 1_000,
  /** Thirty seconds after the last request. */
  restMb: 700,
} as const;

/** The dashboard in a browser with a quarter of this machine's speed. */
export const dashboardPromise = {
  /** Until the largest part of the first screen is painted, over a slow 4G network. */
  largestPaintMs: 2_500,
  /** How much of the first screen moves while it loads, as browsers count it. */
  layoutShift: 0.02,
  /** From a key or a click in the builder of a campaign with 16 flows to the next picture: the slowest one. */
  interactionMs: 200,
} as const;
