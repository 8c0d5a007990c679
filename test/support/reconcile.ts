import { type EventName, entityTypes, eventEntities, type PlatformEvent } from '../../shared/contracts/events.ts';
import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import type { RewardTransaction, TransactionState } from '../../shared/domain/ledger/reward-transaction.ts';
import { type Books, findMismatches, mismatchText, unequal } from '../../shared/domain/reconciliation/invariants.ts';
import { outboxEventOf } from '../../shared/store/outbox/outbox.ts';
import { BookBuilder, bookPartitions, partitionOf, scan } from '../../tools/admin/reconcile/read-books.ts';
import type { TestTable } from './test-table.ts';

/** The books as `reconcile` reads them, and what was told of them: events are not kept for ever on a stage. */
export interface BooksAndEvents extends Books {
  readonly events: readonly PlatformEvent[];
}

/** Before whatever tests play: no counter of a limit is forgotten in a test's table, however old its period is. */
const nothingForgotten = new Date(0);

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

/** Reads a whole table. */
export async function readBooks(table: TestTable): Promise<BooksAndEvents> {
  const books = new BookBuilder();
  const events: PlatformEvent[] = [];
  for await (const item of scan(table, [...bookPartitions, 'outbox'])) {
    if (partitionOf(item) !== 'outbox') books.add(item);
    else {
      const event = outboxEventOf(item);
      // What partners hear of transactions; others, and the platform's own consumers, hear of more.
      if ('partnerId' in event && eventEntities[event.name] === entityTypes.TRANSACTION) events.push(event);
    }
  }
  return Object.assign(books, { events });
}

/** What does not fit together in a table, in words; nothing when all does. */
export async function reconcile(table: TestTable): Promise<string[]> {
  return faultsOf(await readBooks(table));
}

/** The same of books that were read already. */
export function faultsOf(books: BooksAndEvents): string[] {
  return [
    ...findMismatches(books, nothingForgotten).map(mismatchText),
    ...books.transactions.flatMap((transaction) => faultsOfTelling(transaction, books)),
    ...eventsOfNothing(books),
  ];
}

/** One event for every change. */
function faultsOfTelling(transaction: RewardTransaction, { events, claims }: BooksAndEvents) {
  const { id, uuid, state, userId } = transaction;
  const told = events.filter(({ entityId }) => entityId === uuid).map(({ name }) => name);
  const owners = claims.filter(({ rewards }) => rewards.some((reward) => reward.id === id));
  return unequal(`transaction ${id} (${state})`, userId, {
    events: [told.sort().join(' '), toldBy(transaction, owners).sort().join(' ')],
  }).map(mismatchText);
}

/** What was rewarded without a token was never authenticated, and no reversal is. */
function toldBy({ state, reverses }: RewardTransaction, owners: readonly AwardClaim[]): EventName[] {
  const isAward = reverses === undefined;
  const hadToken =
    isAward && owners.every(({ orderUuid, kind: occasion }) => orderUuid === undefined && occasion === 'PURCHASE');
  return (toldOf[state] ?? []).filter((name) => hadToken || name !== 'transaction_authenticated');
}

/** Nothing is told of a transaction that is not there. */
function eventsOfNothing({ events, transactions }: BooksAndEvents): string[] {
  const known = new Set(transactions.map(({ uuid }) => uuid));
  return events
    .filter(({ entityId }) => !known.has(entityId))
    .map(({ name, entityId }) => `${name} of nothing: ${entityId}`);
}
