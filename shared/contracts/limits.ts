/**
 * Every lifetime, period, limit and size of the platform.
 *
 * All entries of a group have one unit. Durations are milliseconds, and the names of their groups end in `Ms`. {@link
 * toSeconds} converts them for protocols that count in seconds. The sentence above an entry is its meaning.
 */

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
const kilobyte = 1_024;

/** How long tokens, codes and cursors are valid (specification, "Limits"; docs/gaps.md, "Authentication"). */
export const validityMs = {
  /** A transaction token, from authentication to the creation of its transactions. */
  transactionToken: 10 * minuteMs,
  /** A connect token, from its creation to the link. */
  connectToken: 30 * minuteMs,
  /** An authorization code, until the merchant exchanges it for tokens. */
  authorizationCode: minuteMs,
  /** The access token of a user. */
  userAccessToken: 90 * dayMs,
  /** The refresh token of a user; each use replaces it. */
  userRefreshToken: 365 * dayMs,
  /** The bearer token of an OAuth client. */
  clientToken: hourMs,
  /** The cursor of a list. */
  cursor: dayMs,
  /** A sign-in to the dashboard, from its beginning to the return from the issuer. */
  login: 10 * minuteMs,
  /** The proposal of an adjustment, until another operator approves or refuses it. */
  adjustmentProposal: 7 * dayMs,
  /** The session of a person at the dashboard, from the sign-in to its end. */
  staffSession: 8 * hourMs,
  /** The session of a person who does nothing. */
  idleStaffSession: 30 * minuteMs,
  /** A sign-in, for acts that need a recent one: keys, redirect URIs, people, four eyes. */
  recentSignIn: 15 * minuteMs,
  /** How long the audit trail takes the same refusal of a person for one. */
  auditedRefusal: hourMs,
  /** The invitation of a person to an organisation. */
  staffInvitation: 7 * dayMs,
  /** The instruction to browsers to use HTTPS only (HSTS). */
  httpsOnly: 730 * dayMs,
};

/** How long a record is kept: in the table, the archive or a queue. */
export const retentionMs = {
  /** The stored reply to a request with an `Idempotency-Key`. */
  idempotentReply: dayMs,
  /** A credential after its expiry. */
  expiredCredential: 7 * dayMs,
  /** A session of the dashboard after its end, so that the person reads that it ended. */
  endedStaffSession: dayMs,
  /** An invitation that nobody accepted, after its end, so that it can be sent again. */
  endedInvitation: 30 * dayMs,
  /** A connect session after its expiry, and an authorization code after its expiry. */
  expiredConnectSession: dayMs,
  /** An event in the outbox; an operator can send it again. */
  outboxEvent: 30 * dayMs,
  /** A past event in the archive of a bus; the receipt of a payment event. */
  archivedEvent: 30 * dayMs,
  /** A message in a queue. */
  queuedMessage: 4 * dayMs,
  /** A message in a dead-letter queue. */
  deadLetter: 14 * dayMs,
  /** The log of a webhook delivery, and a parked delivery. */
  delivery: 30 * dayMs,
  /** A request of endpoint 1 that was refused, with the reason. */
  refusedAttempt: 30 * dayMs,
  /** The limit usage of a member after its period ended; longer than a message stays in a dead-letter queue. */
  limitUsage: 35 * dayMs,
  /** A payment of an unknown customer, so that a later link can find the payment. */
  unclaimedPayment: 400 * dayMs,
  /** The mark that a ledger entry is counted in the totals; kept longer than the 24 hours of the table's stream. */
  countedLedgerEntry: 3 * dayMs,
  /** The copies of book items that the daily reconciliation sorts by member; longer than one reconciliation. */
  reconciledBooks: 3 * dayMs,
};

/** How old a value from a cache may be when it is used. */
export const cacheAgeMs = {
  /** A credential or payment account: after a revocation or change, the old value works at most this much longer. */
  credential: 5 * secondMs,
  /** The webhook subscriptions of an organisation: a deleted subscription receives events at most this much longer. */
  subscriptions: 5 * secondMs,
  /** The secrets of a program: a new secret signs requests at most this much later. */
  programSecrets: minuteMs,
  /** A key of the platform: after a rotation is ended early, functions use the earlier key at most this much longer. */
  platformKey: 5 * minuteMs,
  /** The addresses and public keys of the issuer that signs people in to the dashboard. */
  issuer: hourMs,
  /** What a function knows about the sites of its stage: after a change, the old value is used at most this much longer. */
  siteSettings: 5 * minuteMs,
  /**
   * A browser's permission to call an endpoint from a page of another origin. Browsers keep a permission at most this
   * long.
   */
  crossOriginPermission: 2 * hourMs,
};

/** How long a lock holds. */
export const lockMs = {
  /** The lock of a running request on its `Idempotency-Key`; longer than an endpoint's timeout. */
  idempotentRequest: 15 * secondMs,
  /** The first lock after too many wrong proofs. Each further lock in a row is twice as long as the lock before it. */
  proof: 15 * minuteMs,
  /** The longest lock after wrong proofs. If a lock ended more than a day ago, the next lock is short again. */
  longestProof: dayMs,
};

/** The time within which wrong proofs are counted together; `maximumProofs` is the number that leads to a lock. */
export const proofWindowMs = {
  /** Wrong proofs for one account number. */
  account: dayMs,
  /** Wrong proofs in the sessions of one customer of a merchant. */
  customer: dayMs,
  /** Wrong proofs from one address, in sessions that name no customer. */
  address: hourMs,
  /** Wrong proofs from one address, in sessions that name a customer. */
  sharedAddress: hourMs,
  /** Wrong proofs in the sessions of one organisation. */
  organisation: hourMs,
};

/** Pauses, deadlines and look-backs. */
export const timingMs = {
  /** The time after the first use of a refresh token in which a repeated use returns the same new tokens. */
  repeatedRefresh: 30 * secondMs,
  /** The first pause before a contended write is repeated; each further pause is longer. */
  firstWritePause: 15,
  /** The instant of a session's last request may be this old: a request writes it only when it is older. */
  sessionTouch: minuteMs,
  /** The longest pause before a write is repeated. */
  longestWritePause: secondMs,
  /** The `Retry-After` of a request that changed nothing because the table did not answer. */
  unavailable: 5 * secondMs,
  /** The first pause before refused entries are sent to the bus or a queue again. */
  firstSendPause: 50,
  /** The shortest time from setting a one-time schedule to its instant; the scheduler refuses instants in the past. */
  scheduleLead: 5 * secondMs,
  /** How long the scheduler repeats a failed call to the bus. */
  scheduleRetries: dayMs,
  /** The timeout of an endpoint's function. API Gateway allows 29 seconds, but a checkout needs a reply sooner. */
  endpointTimeout: 10 * secondMs,
  /** The window in which WAF counts requests. */
  rateWindow: 5 * minuteMs,
  /** How long a message may wait in a queue before an alarm; longer than any intended delay. */
  toleratedMessageAge: 16 * minuteMs,
  /** How long a ledger entry may be missing from the totals before reconciliation reports it. */
  uncountedLedgerRow: 5 * minuteMs,
  /**
   * How long the spend of a claim, an order or a payment may be missing from the totals before reconciliation reports
   * it. The daily reconciliation also waits this long for ledger entries, because its alarm wakes people.
   * count-changes repeats a failed batch for a shorter time.
   */
  uncountedSpend: 2 * hourMs,
  /** The deadline of one call to Secrets Manager. */
  secretsManager: 2 * secondMs,
  /** The deadline of one call to the issuer that signs people in to the dashboard. */
  issuer: 3 * secondMs,
  /** How far the issuer's clock may be from the platform's when it dates a proof. */
  issuerClock: 30 * secondMs,
  /** The deadline of one call to the Parameter Store. */
  parameterStore: 2 * secondMs,
  /**
   * How long an order, refund, trigger event or transaction may be pending, or a move of a purchase may be due, before
   * reconciliation reports it.
   */
  toleratedPending: hourMs,
  /** How long a reward may be held for review before reconciliation reports it. */
  toleratedReview: dayMs,
  /** How long an expired token may keep its reservation before reconciliation reports it. */
  toleratedExpiredToken: 10 * minuteMs,
  /** How often a stage on AWS reconciles its books. */
  reconcileEvery: dayMs,
  /** After this time, a run of the daily reconciliation leaves the rest to the next run. */
  reconcileRun: 10 * minuteMs,
  /**
   * The pause of a reconciliation after each page that it scans, between two items that it writes to one partition, and
   * after each group of purchases that it checks. So it throttles no endpoint.
   */
  reconcilePause: 200,
  /** How long the daily reconciliation checks a purchase after its last change; longer than `reconcileEvery`. */
  checkedChanges: 2 * dayMs,
  /**
   * The longest time between the instant that the mark of a counted ledger entry contains and the end of the write
   * that counted the entry. It includes the difference between two clocks.
   */
  countingWrite: 2 * minuteMs,
  /** How far the timestamp of a signed message may be in the past or in the future. */
  signatureAge: 5 * minuteMs,
  /**
   * A payment earns only if it was made at most this long before an operator connected the payment account. The time
   * of a test payment may differ from its arrival by at most this much.
   */
  paymentTime: dayMs,
  /** How far back the very first sweep for expired claims begins. */
  firstSweep: hourMs,
  /** How long one sweep for expired claims releases them: less than the time-out of its function. */
  expirySweep: 45 * secondMs,
  /** The p99 of endpoints 1 and 2, as callers see it, above which an alarm goes off: a customer waits at the till. */
  checkoutP99: secondMs,
  /** One synthetic purchase is made in each period of this length. */
  syntheticPeriod: 5 * minuteMs,
  /** The deadline of one request of the synthetic purchase. No customer would wait longer. */
  syntheticRequest: 8 * secondMs,
  /** How long the reward of the synthetic purchase may take until the purchase counts as failed. */
  syntheticReward: 30 * secondMs,
  /** The pause between two requests that ask for the reward of the synthetic purchase. */
  syntheticPoll: 500,
  /**
   * How long after a merge a function may write for the former id. This is the timeout of a consumer, which is longer
   * than that of an endpoint, plus the time of the merge's own write.
   */
  requestsBeforeMerge: 40 * secondMs,
};

/** One attempt of a call to AWS. All attempts of a call fit into an endpoint's timeout. */
export const awsCallMs = {
  /** The time to connect to a service. */
  connect: 500,
  /** The time of one request, until its answer. */
  request: 2 * secondMs,
};

/** Webhook deliveries: deadlines and delays. A lane is a queue: the slow lane has the deliveries to slow endpoints. */
export const webhookMs = {
  /** The period in which the test events of a subscription are counted. */
  testWindow: minuteMs,
  /** The deadline of one attempt in the fast lane, including name resolution and the body of the reply. */
  attemptDeadline: 5 * secondMs,
  /** The deadline of one attempt in the slow lane, of one probe, or of one attempt of a parked delivery. */
  slowAttemptDeadline: 20 * secondMs,
  /** A reply that takes longer counts as slow. An endpoint with slow replies is in the slow lane. */
  slowReply: secondMs,
  /**
   * After a delivery to an endpoint fails, the deliveries to this endpoint that are left in the batch wait this long,
   * or up to twice as long.
   */
  postponement: 5 * secondMs,
  /**
   * How long one run has the sole right to send the parked deliveries of an endpoint; longer than its function's
   * timeout.
   */
  resumeLease: 90 * secondMs,
  /** If a run that sends parked deliveries takes longer than this, the pause after it is twice as long as the run. */
  quickRun: 2 * secondMs,
  /** The shortest time until the next run after a run that found no parked delivery that is due. */
  latePause: minuteMs,
  /**
   * The longest time from the parking of a delivery to the next probe of its endpoint, if the last probe was the retry
   * of an older delivery.
   */
  freshProbe: 10 * minuteMs,
  /** How early a timer may be, because clocks differ. */
  clockSkew: 5 * secondMs,
  /** How long one run makes attempts to one endpoint; then it queues the rest of its messages again. */
  deliveryRun: 10 * secondMs,
  /** After this time, a run sends no further parked deliveries; the next run sends the rest. */
  resumeRun: 10 * secondMs,
  /** The shortest time between two runs that send parked deliveries. */
  drainStep: secondMs,
  /** How long a timer of an endpoint may be late before the sweep replaces it. */
  timerLateness: 2 * minuteMs,
  /** An endpoint is disabled after failures for this long without a success, if its owner was warned a second time. */
  disabledAfter: 5 * dayMs,
  /** The owner of an endpoint is warned a second time after failures for this long without a success. */
  warnedAfter: 4 * dayMs,
  /** Two replies with status 410 that are at least this far apart disable an endpoint. */
  goneTwice: minuteMs,
  /** The deadline of one query to a name server. */
  nameServer: 1_500,
  /** The longest `Retry-After` that the platform respects. */
  retryAfter: dayMs,
  /** How long an unused connection to an endpoint stays open. */
  idleConnection: 30 * secondMs,
  /** The longest delay of one message, which is the maximum of SQS. A one-time schedule makes longer delays. */
  messageDelay: 15 * minuteMs,
  /**
   * The time from the request for a new salt until the new salt replaces the old one, unless the owner commits it
   * earlier.
   */
  saltRotation: dayMs,
};

/** Partners' own loyalty programs: deadlines and delays. */
export const programMs = {
  /** A recorded answer of a program is renewed after this time, so that `program show` knows whether it answers. */
  recordedAnswer: 15 * minuteMs,
  /** The deadline of one request, including name resolution and the body of the reply. */
  requestDeadline: 8 * secondMs,
  /** The time after which a running attempt counts as dead; longer than the timeout of its function. */
  attemptLease: 90 * secondMs,
  /** How early an attempt may be, because clocks differ. */
  clockSkew: 5 * secondMs,
  /** The longest delay for which an attempt waits as a queue message; a sweep finds attempts with a longer delay. */
  queuedDelay: minuteMs,
  /** The longest delay of one message; the maximum of SQS. */
  longestQueuedDelay: 15 * minuteMs,
  /** The time from the first attempt to the last one; then the transaction is ERROR. */
  postingTime: dayMs,
  /** How long a program may take to answer a transaction that it has accepted; then the transaction is ERROR. */
  answerTime: 7 * dayMs,
  /** The shortest time until the platform asks a program about an accepted transaction. */
  firstQuery: minuteMs,
  /** The first pause of requests to a program that does not answer; each further pause is twice as long. */
  firstPause: 30 * secondMs,
  /** The longest pause of requests to a program that does not answer. */
  longestPause: 10 * minuteMs,
  /** The requests that waited for the end of a pause are spread over this time. */
  deferralSpread: 30 * secondMs,
};

/** The delay after each unanswered attempt to post a transaction. The last delay is repeated. */
export const programAttemptDelaysMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
] as const;

/** After this many failed attempts in a row to post to a program, further attempts wait, except one trial at a time. */
export const toleratedProgramFailures = 5;

/**
 * The delay before each attempt of a webhook delivery, 76 hours together. The short delays are spent in a queue. For a
 * longer delay the delivery is parked. After the last attempt the delivery has failed. The probes of an endpoint that
 * does not work have the same delays.
 */
export const webhookAttemptDelaysMs: readonly number[] = [
  ...[0, 5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs],
  ...[30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 14 * hourMs, 20 * hourMs, dayMs],
];

/** The most attempts of one action. */
export const maximumAttempts = {
  /** Proofs with one connect token. */
  connectProof: 5,
  /** Attempts of one call to AWS that is not answered or fails temporarily. */
  awsCall: 3,
  /** Attempts of one call to the table while DynamoDB transactions conflict with it, or DynamoDB throttles it. */
  write: 12,
  /**
   * Writes of a token's reservation while other transactions conflict with the write. Few, because the caller waits.
   */
  tokenReservation: 3,
  /** Writes of an award without a token, or of a program's answer, while other transactions conflict with the write. */
  backgroundWrite: 6,
  /**
   * Decisions of one operation while other writers change what it has read. With pauses, they fit an endpoint's
   * timeout.
   */
  decision: 16,
  /** Writes of the health of a webhook endpoint when the endpoint's state and lane stay the same. */
  minorHealth: 2,
  /** Attempts to take over an `Idempotency-Key` whose record keeps changing. */
  keyTakeover: 3,
  /** Readings of books or totals before reconciliation or repair gives up because they keep changing. */
  bookReading: 5,
  /** Queries to a name server for one host. */
  nameServer: 2,
  /** Calls to Secrets Manager while the service does not answer. */
  secretsManager: 3,
  /** Calls to the Parameter Store while the service does not answer. */
  parameterStore: 3,
  /** Calls to the bus or a queue for one batch. */
  send: 4,
  /** Calls of the scheduler to the bus; the service's own maximum. */
  schedule: 185,
};

/** How many wrong proofs lead to a lock (docs/architecture/connect.md). */
export const maximumProofs = {
  /** For one account number, even if no account has this number. */
  account: 5,
  /** In the sessions of one customer of a merchant, for all accounts together. */
  customer: 10,
  /** From one address, in sessions that name no customer, for all accounts together. */
  address: 50,
  /**
   * From one address, in sessions that name a customer. If a shop's server calls for its customers, all of them have
   * its address.
   */
  sharedAddress: 1_000,
  /** For an account, customer or address while somebody seems to guess at many accounts. */
  underPressure: 2,
};

/**
 * How many wrong proofs show that somebody guesses at many accounts. They lock nothing: from then on, an account, a
 * customer or an address has `maximumProofs.underPressure` attempts.
 */
export const pressureProofs = {
  /** From one address, in sessions that name a customer. */
  sharedAddress: 50,
  /** In the sessions of one organisation. This also raises an alarm. */
  organisation: 300,
};

/** The bytes of a secret that the platform shares with a partner's program, as Standard Webhooks recommends. */
export const programSecretBytes = { fewest: 24, most: 64 } as const;

/** The fewest digits of a PIN of a hosted program. */
export const minimumPinDigits = 6;

/** Sizes in bytes. */
export const maximumBytes = {
  /** The body of a request. */
  requestBody: 256 * kilobyte,
  /** A stored reply to a request that wrote nothing. Larger replies are not stored: a DynamoDB item holds 400 KB. */
  storedReply: 256 * kilobyte,
  /** A JSON object whose fields callers define, such as the context of a trigger. */
  jsonObject: 32 * kilobyte,
  /** The `transaction_context` of a purchase. Stored decisions contain its attributes. */
  purchaseContext: 4 * kilobyte,
  /** The attributes of one member. */
  memberAttributes: 16 * kilobyte,
  /** The record of a refused request of endpoint 1 as JSON. With its key it fits into two write units. */
  refusedAttempt: 1_900,
  /** The document of a campaign with all its fields, as JSON. A DynamoDB item holds 400 KB. */
  campaignDocument: 256 * kilobyte,
  /** The registry of one organisation: its attributes with their values, or its status tiers. */
  registry: 128 * kilobyte,
  /** The headers of the reply to a webhook. */
  webhookReplyHead: 16 * kilobyte,
  /** The body of the reply to a webhook; a longer body ends the connection. */
  webhookReplyBody: 16 * kilobyte,
  /** The part of the body of the reply to a webhook that the delivery log contains. */
  webhookReplyExcerpt: 512,
};

/** Lengths of texts in characters. */
export const maximumCharacters = {
  /** A text or a name in a request, unless this list gives it a different limit. */
  text: 255,
  /** The part of a path parameter that is read. No id is as long, so a longer value is an unknown id. */
  pathParameter: 256,
  /** The description of a campaign. */
  description: 1_000,
  /** The changed values of a campaign in an entry of the audit trail, as JSON. */
  auditedChange: 20_000,
  /** An e-mail address. */
  email: 254,
  /** A city. */
  city: 100,
  /** A URL. */
  url: 2_048,
  /** The `state` of the connect flow. */
  state: 1_024,
  /** The cursor of a list. */
  cursor: 1_024,
  /** The path of the dashboard to which a person returns after a sign-in. */
  returnPath: 1_500,
  /** The header `x-ignored-fields`. */
  ignoredFields: 1_024,
  /** The list of campaign types in a query. */
  campaignTypes: 64,
  /** The highest `maximumLength` in the schema of a trigger's context. */
  contextText: 4_000,
  /** The rows in one item of the daily reconciliation: JSON, in bytes before compression. An item holds 400 KB. */
  reconciledRows: 300_000,
  /** A message that the relay puts into its dead-letter queue. SQS allows 256 KB for message and reason together. */
  deadLetter: 200 * kilobyte,
  /** The reason that a message gets in a dead-letter queue. */
  deadLetterReason: 1_000,
};

/** Maximum counts: items, levels, parts, connections. */
export const maximumCount = {
  /** The fields of a trigger's context. Conditions can use as many attributes of one event. */
  contextFields: 50,
  /**
   * The average number of book items that the daily reconciliation loads and compares together. If the average exceeds
   * twice this number, it begins again with smaller parts. A step that scans the table also ends at this number.
   */
  reconciledItems: 30_000,
  /** Items that the daily reconciliation writes at the same time; each contains copies of book items. */
  reconciledWrites: 100,
  /** Members whose books the daily reconciliation reads again because something differed. */
  reconciledAgain: 50_000,
  /** Purchases that a reconciliation checks at the same time. */
  checkedTogether: 25,
  /** Purchases of one shelf that the daily reconciliation checks. The rest counts as not compared. */
  checkedPurchases: 10_000,
  /** Members that one daily reconciliation may leave uncompared, because they kept changing, without an alarm. */
  toleratedMoving: 1_000,
  /** Items on a page of a list. */
  pageItems: 100,
  /** Organisations that one person works for. A sign-in is written into the audit trail of each of them. */
  organisationsOfPerson: 30,
  /** Open invitations of one organisation. */
  openInvitations: 100,
  /** Entries of an audit trail that are read for one page of a filtered list. */
  searchedAuditEntries: 1_000,
  /** Entries of an audit trail in one CSV file. */
  exportedAuditEntries: 10_000,
  /** Levels of a JSON object whose fields callers define. */
  jsonLevels: 10,
  /** Test events of a subscription within `webhookMs.testWindow`. */
  testEvents: 5,
  /** Line items of an order. */
  lineItems: 500,
  /** Pieces of one line item. With this bound, the sum of all prices of an order is exact. */
  itemQuantity: 10_000,
  /** Tags of one line item. */
  itemTags: 20,
  /** Names of attributes of one member. */
  attributeNames: 20,
  /** Values of one attribute. */
  attributeValues: 20,
  /** Values of one condition or multiplier of a campaign. */
  listedValues: 1_000,
  /**
   * Actions of one campaign that one event can start: so few that one write can spend the token and create all its
   * reward transactions.
   */
  actionsPerEvent: 16,
  /** Member limits of one campaign that one event can count towards. */
  memberLimitsPerEvent: 16,
  /** Words of a name by which a member is found. */
  indexedWords: 8,
  /** Members that a search by a common name returns. */
  foundMembers: 100,
  /** Rows of a file that an import writes at the same time. */
  importedTogether: 8,
  /** Expired tokens that are released at the same time. */
  releasedTogether: 64,
  /** Keys and clients that the deletion of their organisation revokes in the same write. */
  credentialsTogether: 90,
  /** Grants of one user to one merchant that an unlink revokes in the same write. */
  grantsTogether: 40,
  /** Results of one memoized function, and values of one cache. */
  memoizedResults: 1_000,
  /** Transactions of one index partition that a sweep queues for their next attempt. */
  sweptPostings: 500,
  /** The last attempts on which the health of a webhook endpoint depends. */
  recentAttempts: 20,
  /** Failures in a row after which deliveries to an endpoint wait. */
  failuresInRow: 5,
  /** Failures of the last `recentAttempts` after which deliveries to an endpoint wait. */
  recentFailures: 10,
  /** Probes of an endpoint that fail before its owner receives an event about the failures. */
  silentProbes: 2,
  /** Fast successes in a row after which an endpoint is in the fast lane. */
  fastInRow: 5,
  /** Attempts to one endpoint at the same time in one function instance, at the first contact. */
  firstAtOnce: 2,
  /** Attempts to one endpoint at the same time in one run. */
  attemptsAtOnce: 20,
  /** Parked deliveries that the first run after a recovery sends. Each run without a failure doubles the number. */
  firstDrain: 10,
  /** The most parked deliveries that one run sends. */
  longestDrain: 500,
  /** Deliveries that one run parks for a replay. With a run every second, these are 100 a second. */
  replayPage: 100,
  /** Deliveries that are read for one page of a filtered list, or for the dry run of a replay. */
  searchedDeliveries: 1_000,
  /** The most parked deliveries of one partition that the backlog of an endpoint counts. */
  countedParked: 100,
  /** Waiting transactions of one shard that the metrics count. */
  measuredPostings: 1_000,
  /** Endpoints whose parked deliveries the metrics count. */
  measuredEndpoints: 100,
  /** Endpoints in the memory of one function instance. */
  knownEndpoints: 10_000,
  /** Unused connections to one webhook endpoint. */
  idleConnections: 256,
  /**
   * Open connections of one function instance; above this number, no unused connection stays open. Lambda allows 1,024
   * files.
   */
  openConnections: 512,
  /** Pieces in which the body of the reply to a webhook is read; more pieces end the connection. */
  replyPieces: 256,
  /** Provisional replies (1xx) before the reply to a webhook; an endpoint that sends more does not speak HTTP. */
  provisionalReplies: 10,
  /** Captures, refunds and disputes of one payment. */
  paymentEntries: 1_000,
  /** Ids of each kind (customer references, order ids, other ids) that one payment may have. */
  paymentReferences: 5,
};

/** Items on a page of a list when the request names no `limit`. */
export const defaultPageItems = 25;

/** The largest amount of one purchase: $10,000,000.00. */
export const maximumAmountCents = 1_000_000_000;

/**
 * The largest amount in one payment event, in minor units. With this bound, the sum of all amounts of a payment is
 * exact.
 */
export const maximumMinorUnits = 9_000_000_000_000;

/** The most points for one purchase. With this bound, the sum of thousands of awards is exact. */
export const maximumPoints = 1_000_000_000_000;

/**
 * Points by which operators may adjust one account in one month (UTC) without a second person, in all such adjustments
 * together. Added and taken points count alike.
 */
export const maximumPointsAdjustedAlone = 10_000;

/**
 * The most that one reward may be in a new program before it is held for review: points, or cents of cashback. Such a
 * reward is more likely a wrong amount than a purchase.
 */
export const defaultMaximumReward = { points: 100_000, cents: 100_000 } as const;

/**
 * Points that one operator may move in one month (UTC) without a second person, by all commands together: adjustments,
 * opening balances of new accounts, changes of opening balances, points that are given up or given back, released rewards,
 * and merges. Added and taken points count alike.
 */
export const maximumPointsMovedAlone = 100_000;

/**
 * The purchase and the transfer for which the rewards of a campaign are measured before it takes effect. If they, or the
 * rewards of one event, are more than {@link maximumPointsAdjustedAlone} points or cents, two persons approve the campaign.
 */
export const approvalBasis = { cents: 100_000, points: 1_000 } as const;

/** The number of items or index partitions over which frequently written data is spread. */
export const shardCount = {
  /** Totals of one campaign or partnership. */
  totals: 8,
  /** Claims that expire in one minute. */
  dueClaims: 64,
  /** Deliveries of one webhook subscription. */
  deliveries: 8,
  /** Transactions that wait for the next attempt to post them. */
  duePostings: 8,
};

/** The most items in one call to AWS. */
export const awsMaximumItems = {
  /** Keys of one BatchGetItem. */
  keysPerRead: 100,
  /** Items of one TransactWriteItems. */
  itemsPerTransaction: 100,
  /** Items of the awards of one purchase in one TransactWriteItems; the rest is for its head, order and payments. */
  itemsOfAwards: 70,
  /** Items of one BatchWriteItem. */
  itemsPerBatch: 25,
  /** Entries of one PutEvents or SendMessageBatch. */
  entriesPerSend: 10,
};

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
  ['second', secondMs],
] as const;

/** A duration in the largest unit that leaves no fraction. */
export function duration(milliseconds: number): string {
  const [unit, unitMs] = units.find(([, ms]) => milliseconds > 0 && milliseconds % ms === 0) ?? ['ms', 1];
  const count = milliseconds / unitMs;
  return `${count} ${unit}${count === 1 || unit === 'ms' ? '' : 's'}`;
}

/** Whole seconds of a duration or an instant in milliseconds, rounded down. */
export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / secondMs);
}
