/** The promises of cost and speed, as data. `npm run bench` prints them beside the figures; tests check them. */

/** The most that a request of an endpoint may cost. Absent figures are measured but not promised. */
export interface CostPromise {
  /** Round trips that follow each other when the function has to read the credential. */
  readonly coldRoundTrips?: number;
  /** The same with the credential in the function's memory. */
  readonly warmRoundTrips?: number;
  readonly writeUnits?: number;
  readonly readUnits?: number;
}

const read: CostPromise = { coldRoundTrips: 2, warmRoundTrips: 1 };

/** By endpoint (`<host>/<name>`), for all its cases. A case with a promise of its own has its name in brackets. */
export const costPromises: Readonly<Record<string, CostPromise>> = {
  'base/get-user': read,
  // One unit more than for other members, for the counters of some weeks. Older counters have expired and are deleted.
  'base/get-user (a year of a daily limit)': { ...read, readUnits: 3.5 },
  // The partnership is read before its campaigns, so that a foreign one takes as long as an absent one.
  'base/get-partnership': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'base/get-transaction': read,
  'user/get-user-status': read,
  'reward/get-transaction': read,
  // Four in turn: the session; the reads, with its attempt counted; the attempts of account, organisation and address
  // counted; the write. A fifth for an account that is linked already.
  'base/link-account': { coldRoundTrips: 4, warmRoundTrips: 4 },
  'base/submit-connect-page': { coldRoundTrips: 4, warmRoundTrips: 4 },
  // Five in turn: the client; the code; the identifiers; the members that they lead to; the write of link and tokens.
  'base/issue-token (authorization_code)': { coldRoundTrips: 5, warmRoundTrips: 4, writeUnits: 26 },
  // Three in turn: the client; the refresh token; the write of the new tokens.
  'base/issue-token (refresh_token)': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 12 },
  // The member with the list of its grants; the grants; the write; then the tokens: their list, the tokens, their end.
  'base/unlink-account': { coldRoundTrips: 7, warmRoundTrips: 6 },
  'user/unlink-own-account': { coldRoundTrips: 7 },
  // The account with its key. What the bus takes is no call to the table.
  'base/receive-payment': { coldRoundTrips: 1, warmRoundTrips: 1, readUnits: 1, writeUnits: 0 },
  'base/send-trigger': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/list-campaigns': { coldRoundTrips: 3, warmRoundTrips: 2, readUnits: 4 },
  'campaign/list-templates': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'campaign/simulate-campaigns': read,
  // First the external id, then the user: two round trips. All other reads run in parallel with these.
  'campaign/simulate-campaigns (external id)': { coldRoundTrips: 3, warmRoundTrips: 2 },
  'order/create-order': { coldRoundTrips: 4, warmRoundTrips: 3 },
  'order/refund-order': { coldRoundTrips: 3, warmRoundTrips: 2 },
  // The transaction, then its claim and order, then the write.
  'reward/refund-transaction': { coldRoundTrips: 4, warmRoundTrips: 3 },
  'reward/authenticate-transaction': { coldRoundTrips: 3 },
  'reward/create-transaction': { coldRoundTrips: 3, warmRoundTrips: 2, writeUnits: 14 },
};

/**
 * The cost of an `Idempotency-Key` beside the endpoint's own: the key is claimed before the work, and the reply is
 * stored in the same transaction as the work.
 */
export const idempotencyKeyAdds = { roundTrips: 1, writeUnits: 3 } as const;

/**
 * One purchase from endpoint 1 to COMPLETED, with every webhook to merchant and partner. The units are the most that a
 * purchase costs, with no other work at the same time. The dollars are those of docs/cost.md at a hundred per second.
 */
export const journeyPromise = { purchaseWriteUnits: 34, purchaseDollarsPerMillion: 56 } as const;

/** Every function behind an API. Consumers have no promise: they start seldom, and no caller waits for them. */
export const startupPromise = {
  sizeKb: 500,
  /** Import time as a multiple of a bare handler's. */
  importRatio: 1.25,
} as const;

/** Evaluation of campaigns, beside json-rules-engine with the same campaigns and facts. */
export const enginePromise = { timesAsFast: 20 } as const;

/** Purchases through the local platform, as a share of the rate at which DynamoDB Local alone does their writes. */
export const purchasePromise = { ceilingShare: 0.6 } as const;

/** Ledger entries of one campaign that are counted per second, of 1,000 that arrive. */
export const countingPromise = { entriesPerSecond: 900 } as const;
