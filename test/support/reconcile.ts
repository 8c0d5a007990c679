import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { LimitUsage, Membership } from '../../shared/domain/member/member.ts';
import { LedgerEntry, movedPoints } from '../../shared/domain/transaction/ledger.ts';
import { Purchase } from '../../shared/domain/transaction/purchase.ts';
import { RewardTransaction, type TransactionState } from '../../shared/domain/transaction/reward-transaction.ts';
import { wrongUsage } from '../../shared/domain/transaction/usage-of-rewards.ts';
import type { EventName, PlatformEvent } from '../../shared/events/platform-event.ts';
import { outboxEventOf } from '../../shared/store/outbox.ts';
import { type Partition, partitions } from '../../shared/store/table.ts';
import { usagePrefix } from '../../shared/store/usage.ts';
import type { Item } from '../../shared/store/writes.ts';
import type { TestTable } from './test-table.ts';

/** Everything of a table that has to fit together. */
export interface Books {
  readonly memberships: readonly Membership[];
  readonly transactions: readonly RewardTransaction[];
  readonly purchases: readonly Purchase[];
  readonly entries: readonly LedgerEntry[];
  readonly usage: readonly LimitUsage[];
  readonly events: readonly PlatformEvent[];
}

/** What has been told of a transaction by the time it is in a state. */
const toldOf: Partial<Record<TransactionState, readonly EventName[]>> = {
  INITIATED: ['transaction_authenticated'],
  PENDING: ['transaction_authenticated', 'transaction_created'],
  COMPLETED: ['transaction_authenticated', 'transaction_created', 'transaction_status_updated'],
  FAILED: ['transaction_authenticated', 'transaction_created', 'transaction_status_updated'],
  CANCELLED: ['transaction_authenticated', 'transaction_status_updated'],
  REVERSED: [
    'transaction_authenticated',
    'transaction_created',
    'transaction_status_updated',
    'transaction_status_updated',
  ],
};

/** The states that the transactions of a purchase are in. */
const statesOf: Record<Purchase['state'], readonly TransactionState[]> = {
  ISSUED: ['INITIATED'],
  SPENT: ['PENDING', 'COMPLETED', 'FAILED', 'REVERSED'],
};

/** Reads a whole table. Only tests may scan. */
export async function readBooks({ documents, name }: TestTable): Promise<Books> {
  const items: Item[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({ TableName: name, ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    from = page.LastEvaluatedKey;
  } while (from);

  const of = (partition: Partition, sort = '') =>
    items.filter(({ pk, sk }) => pk.startsWith(partitions[partition]) && sk.startsWith(sort));
  return {
    memberships: of('user', 'PROGRAM#').map((item) => Membership.parse(item)),
    transactions: of('transaction', 'TRANSACTION').map((item) => RewardTransaction.parse(item)),
    purchases: of('purchase').map((item) => Purchase.parse(item)),
    usage: of('user', usagePrefix).map((item) => LimitUsage.parse(item)),
    entries: of('ledger').map((item) => LedgerEntry.parse(item)),
    // What partners hear of; the platform's own consumers hear of more.
    events: of('outbox')
      .map(outboxEventOf)
      .filter((event) => 'partnerId' in event),
  };
}

/** What does not fit together in a table, in words; nothing when all does. */
export async function reconcile(table: TestTable): Promise<string[]> {
  return faultsOf(await readBooks(table));
}

/** The same of books that were read already. */
export function faultsOf(books: Books): string[] {
  return [
    ...books.memberships.flatMap((membership) => faultsOfBalance(membership, books)),
    ...books.transactions.flatMap((transaction) => faultsOfTransaction(transaction, books)),
    ...books.purchases.flatMap((purchase) => faultsOfPurchase(purchase, books)),
    ...books.transactions.flatMap((transaction) => faultsOfReversals(transaction, books)),
    ...faultsOfUsage(books),
    ...faultsOfEvents(books),
  ];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, next) => total + next, 0);

/** The ledger adds up to the balance; what is held is what live reservations and pending redemptions hold. */
function faultsOfBalance(membership: Membership, { entries, purchases, transactions }: Books): string[] {
  const isOwn = (thing: { readonly userId: number; readonly partnerId: number }) =>
    thing.userId === membership.userId && thing.partnerId === membership.partnerId;
  const own = entries.filter(isOwn);
  const pointsOf = (kind: LedgerEntry['kind']) =>
    sum(own.filter((entry) => entry.kind === kind).map(({ points }) => points));
  const reserved = purchases.filter(
    ({ userId, heldPartnerId, state }) => isOwn({ userId, partnerId: heldPartnerId }) && state === 'ISSUED',
  );
  const pending = transactions.filter((one) => isOwn(one) && one.state === 'PENDING');

  const { availablePoints, heldPoints, totalEarnedPoints, totalRedeemedPoints } = membership;
  return unequal(`user ${membership.userId}`, {
    'balance and ledger': [availablePoints + heldPoints, sum(own.map(({ points }) => points))],
    'held points and reservations': [
      heldPoints,
      sum(reserved.map((purchase) => purchase.heldPoints)) + sum(pending.map(heldBy)),
    ],
    'cashback and ledger': [membership.cashbackCents, sum(own.map(({ cashbackCents }) => cashbackCents))],
    'total earned and ledger': [totalEarnedPoints, pointsOf('EARN') + pointsOf('EARN_REVERSAL')],
    'total redeemed and ledger': [totalRedeemedPoints, 0 - pointsOf('REDEEM') - pointsOf('REDEEM_REVERSAL')],
  });
}

/** A pending redemption holds what it is to take, and so does a reversal of points that were earned. */
function heldBy(transaction: RewardTransaction): number {
  const takes = (transaction.type === 'EARN') === (transaction.reverses !== undefined);
  return takes ? movedPoints(transaction) : 0;
}

/** Reversed is never more than awarded: what reversals take is what their original says, and all of it in the end. */
function faultsOfReversals({ id, state, points, cashbackCents, refunds }: RewardTransaction, { transactions }: Books) {
  const reversals = transactions.filter((one) => one.reverses?.id === id && one.state !== 'FAILED');
  const taken = {
    points: sum(reversals.map((one) => one.points)),
    cashbackCents: sum(reversals.map((one) => one.cashbackCents)),
  };
  const pending = reversals.filter((one) => one.state === 'PENDING').length;
  const isOver = reversals.length > 0 && pending === 0 && taken.points + taken.cashbackCents === points + cashbackCents;
  return [
    ...unequal(`transaction ${id}`, {
      'reversed points and reversals': [refunds?.points ?? 0, taken.points],
      'reversed cents and reversals': [refunds?.cashbackCents ?? 0, taken.cashbackCents],
      'pending reversals': [refunds?.pendingReversals ?? 0, pending],
      'reversed, when nothing is left': [String(state === 'REVERSED'), String(isOver)],
    }),
    ...(taken.points > points || taken.cashbackCents > cashbackCents
      ? [`transaction ${id}: more is reversed than was awarded`]
      : []),
  ];
}

/** One event for every change, one ledger entry for a completion, and a purchase that it belongs to. */
function faultsOfTransaction(transaction: RewardTransaction, { events, entries, purchases }: Books): string[] {
  const { id, uuid, state, reverses, shortfallPoints } = transaction;
  const isSettled = state === 'COMPLETED' || state === 'REVERSED';
  const told = events.filter(({ entityId }) => entityId === uuid).map(({ name }) => name);
  const owners = purchases.filter(({ rewards }) => rewards.some((reward) => reward.id === id));
  return unequal(`transaction ${id} (${state})`, {
    events: [told.sort().join(' '), toldBy(transaction, owners).sort().join(' ')],
    'ledger entries': [
      entries.filter(({ transactionId }) => transactionId === id).length,
      isSettled ? (shortfallPoints ? 2 : 1) : 0,
    ],
    'purchases that name it': [owners.length, state === 'CANCELLED' || reverses ? 0 : 1],
  });
}

/** An order that was rewarded without a token was never authenticated, and no reversal is. */
function toldBy({ state, reverses }: RewardTransaction, owners: readonly Purchase[]): EventName[] {
  const isTokenless = reverses !== undefined || owners.some(({ orderUuid }) => orderUuid !== undefined);
  return (toldOf[state] ?? []).filter((name) => !isTokenless || name !== 'transaction_authenticated');
}

/** Its transactions are there, in a state that goes with its own. */
function faultsOfPurchase(purchase: Purchase, { transactions }: Books): string[] {
  const states = purchase.rewards.map(({ id }) => transactions.find((transaction) => transaction.id === id)?.state);
  const fit = states.every((state) => state !== undefined && statesOf[purchase.state].includes(state));
  return fit ? [] : [`purchase ${purchase.externalTransactionId} is ${purchase.state}, its transactions ${states}`];
}

/** A counter of a limit is what the rewards that stand used of it. */
function faultsOfUsage({ usage, transactions }: Books): string[] {
  return wrongUsage(usage, transactions).map(
    ({ userId, campaignId, limitId, period, used, expected }) =>
      `user ${userId}: limit ${limitId} of campaign ${campaignId} in ${period}: ${used} is not ${expected}`,
  );
}

/** Nothing is told of a transaction that is not there. */
function faultsOfEvents({ events, transactions }: Books): string[] {
  const known = new Set(transactions.map(({ uuid }) => uuid));
  return events
    .filter(({ entityId }) => !known.has(entityId))
    .map(({ name, entityId }) => `${name} of nothing: ${entityId}`);
}

function unequal(
  whose: string,
  pairs: Readonly<Record<string, readonly [number | string, number | string]>>,
): string[] {
  return Object.entries(pairs)
    .filter(([, [one, other]]) => one !== other)
    .map(([what, [one, other]]) => `${whose}: ${what}: ${one} is not ${other}`);
}
