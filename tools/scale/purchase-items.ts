import { shardCount } from '../../shared/contracts/limits.ts';
import { indexPartitions, partitions } from '../../shared/contracts/table.ts';
import { Deliveries } from '../../shared/store/webhook/deliveries.ts';

/*
 * The items of one purchase, by function: what it reads, what it writes, and how its keys spread. A test compares the
 * units with the counted units (tools/cost/counted.json). So the test fails when a purchase changes and this list does
 * not.
 */

/**
 * The thing that a partition key belongs to. Purchases with the same owner share the key.
 * - `purchase`, `member`: the keys spread, and no partition becomes hot.
 * - `minute`: the minute in which the token of the purchase expires.
 */
export type KeyOwner = 'purchase' | 'member' | 'minute' | 'merchant' | 'partner';

/** One kind of item that a function reads or writes for a purchase. */
export interface ItemUse {
  readonly function: string;
  readonly item: string;
  /** The prefix of the partition key. */
  readonly prefix: string;
  readonly index?: 'byMerchant' | 'due';
  readonly owner: KeyOwner;
  readonly readUnits?: number;
  readonly writeUnits?: number;
  /**
   * The kind of batch (of the stream or of a queue) that makes the access once for all its purchases. Absent: each
   * purchase makes it.
   */
  readonly onceFor?: 'streamBatch' | 'queueBatch';
  /** True when functions keep the item in memory for some seconds. Its reads are not counted then. */
  readonly isCached?: boolean;
  /** The share of accesses that the busiest key gets, if the owner has several keys. */
  readonly busiestShare?: number;
}

const authenticate = 'reward/authenticate-transaction';
const create = 'reward/create-transaction';
const sync = 'consumers/sync-with-program';
const count = 'consumers/count-changes';
const fanOut = 'consumers/fan-out-event';
const deliver = 'consumers/deliver-webhook';

const claim = { item: 'award claim', prefix: partitions.claim, owner: 'purchase' } as const;
const transaction = { item: 'transaction', prefix: partitions.transaction, owner: 'purchase' } as const;
const purchase = { item: 'purchase', prefix: partitions.countedSpend, owner: 'purchase' } as const;
const member = { item: 'member, accounts and counters', prefix: partitions.user, owner: 'member' } as const;
const token = { item: 'token of the member', prefix: partitions.credential, owner: 'member' } as const;
/** A claim enters the index when its token is issued, and leaves the index when the token is spent. */
const due = {
  item: 'claim in the index',
  prefix: indexPartitions.due,
  index: 'due',
  owner: 'minute',
  busiestShare: 1 / shardCount.dueClaims,
} as const;
const log = { item: 'log of deliveries', prefix: partitions.delivery, busiestShare: busiestDeliveryShare() } as const;
const subscriptions = { item: 'list of subscriptions', prefix: partitions.webhook, isCached: true } as const;

export const purchaseItems: readonly ItemUse[] = [
  { function: authenticate, ...token, readUnits: 1, isCached: true },
  { function: authenticate, ...member, readUnits: 1 },
  {
    ...{ function: authenticate, item: 'campaigns and partnerships of the merchant' },
    ...{ prefix: indexPartitions.byMerchant, index: 'byMerchant', owner: 'merchant', readUnits: 1 },
  },
  { function: authenticate, ...claim, readUnits: 1, writeUnits: 2 },
  { function: authenticate, ...due, writeUnits: 1 },
  { function: authenticate, ...purchase, readUnits: 1 },
  { function: authenticate, ...transaction, item: 'transaction, snapshot', writeUnits: 4 },
  { function: create, ...token, readUnits: 1, isCached: true },
  { function: create, ...claim, readUnits: 1, writeUnits: 2 },
  { function: create, ...due, writeUnits: 1 },
  { function: create, ...transaction, writeUnits: 2 },
  { function: sync, ...transaction, readUnits: 1, writeUnits: 2 },
  // Only stages that allow test identities read the member; production does not.
  { function: sync, ...member, readUnits: 1 },
  { function: sync, item: 'program of the partner', prefix: partitions.organisation, owner: 'partner', readUnits: 1 },
  { function: sync, ...member, writeUnits: 4 },
  { function: sync, item: 'ledger entry', prefix: partitions.ledger, owner: 'member', writeUnits: 2 },
  { function: count, item: 'mark of the entry', prefix: partitions.counted, owner: 'purchase', writeUnits: 2 },
  {
    ...{ function: count, item: 'counters of the campaign', prefix: partitions.partnership, owner: 'merchant' },
    ...{ writeUnits: 2, onceFor: 'streamBatch' },
  },
  { function: count, ...purchase, writeUnits: 2 },
  { function: count, ...member, readUnits: 1, writeUnits: 2 },
  // If the cached list of subscriptions is older than an event, the function reads the list again, once for each batch.
  // The events of one purchase arrive in different batches, so each event causes a read.
  { function: fanOut, ...subscriptions, owner: 'merchant', readUnits: 3, onceFor: 'queueBatch' },
  { function: fanOut, ...subscriptions, owner: 'partner', readUnits: 3, onceFor: 'queueBatch' },
  { function: deliver, ...log, owner: 'merchant', readUnits: 3, writeUnits: 3 },
  { function: deliver, ...log, owner: 'partner', readUnits: 3, writeUnits: 3 },
];

/** The use of one limit of a member: one more item in the transaction that reserves the reward. */
export const limitUse: ItemUse = { function: authenticate, ...member, item: 'use of a limit', writeUnits: 2 };

/**
 * The share of a subscription's deliveries that are in its busiest partition. A delivery's partition depends on the
 * last digit of its event's id, and the sixteen possible digits cannot be divided evenly among the partitions.
 */
function busiestDeliveryShare(): number {
  const digits = [...'0123456789abcdef'];
  const subscription = { subscriptionId: 'one' };
  const places = digits.map((digit) => Deliveries.placeOf({ subscription, event: { id: digit } }).split(' ')[0]);
  const sizes = [...Map.groupBy(places, (place) => place).values()].map(({ length }) => length);
  return Math.max(...sizes) / digits.length;
}

/**
 * Adds up the units of one purchase over all uses that satisfy a condition. By default, the purchase is counted as if
 * it shared no access with others of its batch.
 */
export function unitsOf(
  kind: 'readUnits' | 'writeUnits',
  satisfies: (use: ItemUse) => boolean,
  share: (use: ItemUse) => number = () => 1,
): number {
  return purchaseItems.filter(satisfies).reduce((sum, use) => sum + (use[kind] ?? 0) * share(use), 0);
}
