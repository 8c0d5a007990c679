import {
  type BusEvent,
  type EventName,
  entityTypes,
  eventEntities,
  type PlatformEvent,
} from '../../shared/contracts/events.ts';
import { bookPartitions } from '../../shared/contracts/table.ts';
import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import type { RewardTransaction, TransactionState } from '../../shared/domain/ledger/reward-transaction.ts';
import { type Books, findMismatches, mismatchText, unequal } from '../../shared/domain/reconciliation/invariants.ts';
import { BookBuilder, partitionOf } from '../../shared/operations/reconcile/book-builder.ts';
import { addsEvents } from '../../shared/store/outbox/outbox.ts';
import { scan, type WholeTable } from '../../tools/admin/reconcile/read-books.ts';
import { knownEventsIn } from './outbox.ts';

/**
 * The books of `reconcile` together with all events. On a stage, old events are missing, because a stage deletes them.
 */
export interface BooksAndEvents extends Books {
  readonly events: readonly PlatformEvent[];
}

/** An instant before all tests. Compared with it, no limit counter is old enough to be deleted. */
const beforeAllTests = new Date(0);

/** For each state: all events that were sent about a transaction that is in this state. */
const eventsByState: Partial<Record<TransactionState, readonly EventName[]>> = {
  INITIATED: ['transaction_authenticated'],
  PENDING: ['transaction_authenticated', 'transaction_created'],
  HELD: ['transaction_authenticated', 'transaction_created'],
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

/** Reads the whole table. */
export async function readBooks(table: WholeTable): Promise<BooksAndEvents> {
  const books = new BookBuilder();
  const events: PlatformEvent[] = [];
  for await (const item of scan(table, [...bookPartitions, 'outbox'])) {
    const isEvent = partitionOf(item) === 'outbox';
    if (!isEvent) books.add(item);
    if (isEvent || addsEvents(item, undefined)) events.push(...knownEventsIn(item).filter(isAboutTransaction));
  }
  return Object.assign(books, { events });
}

/** The webhook events of transactions. Other entities and internal events are ignored. */
const isAboutTransaction = (event: BusEvent): event is PlatformEvent =>
  'partnerId' in event && eventEntities[event.name] === entityTypes.TRANSACTION;

/** Returns the inconsistencies of a table in words, or an empty list. */
export async function reconcile(table: WholeTable): Promise<string[]> {
  return faultsOf(await readBooks(table));
}

/** Returns the inconsistencies of books that were already read. */
export function faultsOf(books: BooksAndEvents): string[] {
  return [
    ...findMismatches(books, beforeAllTests).map(mismatchText),
    ...books.transactions.flatMap((transaction) => eventFaultsOf(transaction, books)),
    ...strayEvents(books),
  ];
}

/** Returns a fault when the events of a transaction do not match its state. */
function eventFaultsOf(transaction: RewardTransaction, { events, claims }: BooksAndEvents) {
  const { id, uuid, state, userId } = transaction;
  const sent = events.filter(({ entityId }) => entityId === uuid).map(({ name }) => name);
  const owners = claims.filter(({ rewards }) => rewards.some((reward) => reward.id === id));
  return unequal(`transaction ${id} (${state})`, userId, {
    events: [sent.sort().join(' '), expectedEventsOf(transaction, owners).sort().join(' ')],
  }).map(mismatchText);
}

/** Returns the expected events. Reversals, and awards without a token, have no transaction_authenticated event. */
function expectedEventsOf(
  { state, reverses, growthOf }: RewardTransaction,
  owners: readonly AwardClaim[],
): EventName[] {
  const isAward = reverses === undefined && growthOf === undefined;
  const hadToken =
    isAward && owners.every(({ orderUuid, kind: occasion }) => orderUuid === undefined && occasion === 'PURCHASE');
  return (eventsByState[state] ?? []).filter((name) => hadToken || name !== 'transaction_authenticated');
}

/** Returns a fault for each event that names no existing transaction. */
function strayEvents({ events, transactions }: BooksAndEvents): string[] {
  const known = new Set(transactions.map(({ uuid }) => uuid));
  return events
    .filter(({ entityId }) => !known.has(entityId))
    .map(({ name, entityId }) => `${name} names an unknown transaction: ${entityId}`);
}
