/**
 * The single table as data: its keys, its indexes and its partitions. The stacks make the table and the policy of every
 * role from this data, and the repositories make keys from it. docs/architecture/access-patterns.md lists the access
 * patterns.
 */

/** Names of the key attributes of the table itself. */
export const tableKey = { partition: 'pk', sort: 'sk' } as const;

/** The expiry attribute of DynamoDB. It only cleans up: code checks every expiry itself. */
export const ttlAttribute = 'ttl';

/**
 * The attribute with the version of an item's form. An item without the attribute has version 1. Every write of a whole
 * item sets the attribute. Its name is short, because every item has it.
 */
export const versionAttribute = 'v';

/**
 * The attribute of items that carry events. An item receives this attribute once, at its insertion or later, and keeps
 * it as long as the item exists. `occurredAt` in the attribute is the time of the events.
 */
export const outboxAttribute = 'outbox';

/**
 * The sparse indexes. An item is in an index when it has the index's two attributes.
 * - `byMerchant`, `byPartner`: the partnerships, campaigns and drafts of one organisation.
 * - `due`: the rewards that are held for review, by program. Also work in the order of its due time: expiry of claims,
 *   starts and ends of campaigns, probes of endpoints, runs that send parked deliveries, attempts to post transactions.
 */
export const tableIndexes = {
  byMerchant: { partition: 'merchantPk', sort: 'merchantSk', projection: 'ALL' },
  byPartner: { partition: 'partnerPk', sort: 'partnerSk', projection: 'ALL' },
  due: { partition: 'duePk', sort: 'dueSk', projection: 'KEYS_ONLY' },
} as const;
export type TableIndex = keyof typeof tableIndexes;

/** The partitions of the table, each with the prefix of its partition keys. */
export const partitions = {
  credential: 'CREDENTIAL#',
  client: 'CLIENT#',
  grant: 'GRANT#',
  connect: 'CONNECT#',
  programAccount: 'PROGRAM_ACCOUNT#',
  proof: 'PROOF#',
  customerEmail: 'CUSTOMER_EMAIL#',
  organisation: 'ORGANISATION#',
  user: 'USER#',
  externalUser: 'EXTERNAL_USER#',
  link: 'LINK#',
  memberIndex: 'MEMBER_INDEX#',
  partnership: 'PARTNERSHIP#',
  campaign: 'CAMPAIGN#',
  order: 'ORDER#',
  transaction: 'TRANSACTION#',
  triggerEvent: 'TRIGGER_EVENT#',
  claim: 'CLAIM#',
  refusedAttempt: 'REFUSED_ATTEMPT#',
  ledger: 'LEDGER#',
  payout: 'PAYOUT#',
  adjustment: 'ADJUSTMENT#',
  velocity: 'VELOCITY#',
  counted: 'COUNTED#',
  countedSpend: 'COUNTED_SPEND#',
  purchaseProgram: 'PURCHASE_PROGRAM#',
  payment: 'PAYMENT#',
  paymentOrder: 'PAYMENT_ORDER#',
  paymentAccount: 'PAYMENT_ACCOUNT#',
  paymentCustomer: 'PAYMENT_CUSTOMER#',
  paymentReceipt: 'PAYMENT_RECEIPT#',
  unclaimedPayment: 'UNCLAIMED_PAYMENT#',
  outbox: 'OUTBOX#',
  idempotency: 'IDEMPOTENCY#',
  webhook: 'WEBHOOK#',
  delivery: 'DELIVERY#',
  sequence: 'SEQUENCE#',
  platformKey: 'PLATFORM_KEY#',
  audit: 'AUDIT#',
  staff: 'STAFF#',
  identity: 'IDENTITY#',
  invitation: 'INVITATION#',
  organisationAudit: 'ORGANISATION_AUDIT#',
} as const;
export type Partition = keyof typeof partitions;

/** The key of the partition that contains an organisation and also its credentials and lists. */
export const organisationPartition = (id: number) => `${partitions.organisation}${id}`;

/** The partitions of the books: the items that a reconciliation compares. */
export const bookPartitions: readonly Partition[] = [
  ...(['user', 'transaction', 'claim', 'velocity', 'ledger', 'programAccount', 'countedSpend'] as const),
  ...(['adjustment', 'payout', 'order', 'payment'] as const),
];

/** Whether a text names a partition. */
export const isPartition = (name: string): name is Partition => Object.hasOwn(partitions, name);

/** The prefix of the partition keys of each index. */
export const indexPartitions = {
  byMerchant: 'MERCHANT#',
  byPartner: 'PARTNER#',
  due: 'DUE#',
} as const satisfies Record<TableIndex, string>;

export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

/**
 * The permissions of a function on the table: actions by partition, and the indexes that it may query. A DynamoDB
 * transaction needs the actions of all its parts.
 */
export interface TableAccess {
  readonly table: Partial<Record<Partition, readonly TableAction[]>>;
  readonly indexes?: readonly TableIndex[];
  /** The attributes that the function may read when it scans the whole table. */
  readonly scans?: readonly string[];
}

/**
 * The attributes that the daily reconciliation reads of all items: ids, points, cents, counts, states and times. There
 * is no name, address, secret, token or free text among them.
 */
export const bookAttributes: readonly string[] = [
  ...[tableKey.partition, tableKey.sort, ttlAttribute, versionAttribute],
  ...['id', 'uuid', 'userId', 'partnerId', 'merchantId', 'externalId', 'createdAt', 'updatedAt'],
  // Accounts, marks of merged users, counters of limits, spend and velocity rules.
  ...['availablePoints', 'heldPoints', 'owedPoints', 'totalEarnedPoints', 'totalRedeemedPoints'],
  ...['cashbackCents', 'paidOutCents', 'mergedInto', 'campaignId', 'limitId', 'period', 'used', 'spentCents'],
  ...['rule', 'window'],
  // Reward transactions.
  ...['type', 'state', 'partnershipUuid', 'amountCents', 'points', 'charges', 'sharesChargesWith', 'otherLegId'],
  ...['isForeign', 'isRegistration', 'externalTransactionId', 'snapshotId', 'refunds', 'reverses', 'isRestoration'],
  ...['shortfallPoints', 'growthOf', 'counted', 'flowId'],
  // Claims.
  ...['kind', 'isTransfer', 'heldPartnerId', 'rewards', 'issuedAt', 'expiresAt', 'spentAt', 'orderUuid'],
  ...['refundedCents', 'refundsAppliedCents'],
  // Ledger entries, manual adjustments and payouts.
  ...['campaign', 'registers', 'transactionId', 'transactionUuid', 'payout', 'merged', 'cents', 'isReturned'],
  // Purchases, orders and payments.
  ...['revision', 'spent', 'countedCents', 'netCents', 'paid', 'returned', 'isOfUnknownAmount', 'externalOrderId'],
  ...['programId', 'totalCents', 'subtotalCents', 'discountCents', 'countsAt'],
];

/**
 * The table access of the two endpoints that offer an account to link: the endpoint of the API and the endpoint of the
 * page.
 */
export const linkAccess: TableAccess = {
  table: {
    organisation: ['GetItem'],
    connect: ['UpdateItem'],
    programAccount: ['GetItem'],
    proof: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    externalUser: ['GetItem'],
    user: ['Query'],
    credential: ['PutItem'],
  },
  indexes: ['byMerchant'],
};

/** The table access of the consumers that post webhooks: the endpoints with their health, and the log of deliveries. */
export const deliveryAccess: TableAccess = {
  table: {
    webhook: ['GetItem', 'Query', 'UpdateItem'],
    delivery: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'BatchWriteItem'],
    outbox: ['PutItem'],
  },
};

/**
 * The table access of the two endpoints that unlink an account: the endpoint for merchants and the endpoint for
 * members.
 */
export const unlinkAccess: TableAccess = {
  table: {
    user: ['Query', 'UpdateItem'],
    externalUser: ['DeleteItem'],
    grant: ['Query', 'BatchGetItem', 'UpdateItem'],
    credential: ['BatchGetItem', 'UpdateItem'],
    outbox: ['PutItem'],
  },
  indexes: ['byMerchant'],
};
