import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { bookPartitions, type Partition, partitions } from '../../../shared/contracts/table.ts';
import { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import {
  areRefundsApplied,
  isOrder,
  Refund,
  type Refundable,
  refundedUuidOf,
} from '../../../shared/domain/order/refund.ts';
import type { Books } from '../../../shared/domain/reconciliation/invariants.ts';
import {
  type PendingWork,
  pendingOrder,
  pendingPayment,
  pendingRefunds,
  pendingTriggerEvent,
} from '../../../shared/domain/reconciliation/pending.ts';
import { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { allPartnerships } from '../../../shared/operations/partnership/manage-partnership.ts';
import { BookBuilder, partitionOf, unreadableItem } from '../../../shared/operations/reconcile/book-builder.ts';
import type { TotalsReading } from '../../../shared/operations/reconcile/reconcile-totals.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { parseClaim } from '../../../shared/store/award/claims.ts';
import { type Counter, countedEntryName, countersOf } from '../../../shared/store/ledger/totals.ts';
import { parseOrder } from '../../../shared/store/order/orders.ts';
import { refundPrefix } from '../../../shared/store/order/refunds.ts';
import { isPayment, parsePayment } from '../../../shared/store/payment/payments.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';

/** A table that operators and tests may read completely. No function may. */
export interface WholeTable {
  readonly name: string;
  readonly documents: DynamoDBDocumentClient;
}

/** One reading of the whole table: the books, and the counters of totals before and after the books. */
export interface Reading extends TotalsReading {
  readonly books: Books;
  /** Orders, payments, refunds and trigger events that are not finalized. */
  readonly pending: readonly PendingWork[];
}

/** Reads the whole table. Time and cost grow with the size of the table. */
export async function readAll(platform: Platform, table: WholeTable): Promise<Reading> {
  const partnerships = (await allPartnerships(platform)).map(({ uuid }) => uuid);
  const now = platform.now();
  const before = await countersOfAll(platform, partnerships);
  const books = new BookBuilder();
  const work = new WorkBuilder();
  const counted = new Set<string>();
  for await (const item of scan(table, [...bookPartitions, 'triggerEvent', 'counted'])) {
    if (partitionOf(item) === 'counted') counted.add(countedEntryName(item));
    else books.add(item);
    try {
      work.add(item);
    } catch (error) {
      const unreadable = unreadableItem(item, error);
      if (!books.unreadable.some(({ name }) => name === unreadable.name)) books.unreadable.push(unreadable);
    }
  }
  const after = await countersOfAll(platform, partnerships);
  const { pending } = work;
  const { entries, unreadable } = books;
  return { books, pending, partnerships, before, after, entries, unreadable, counted, now };
}

/** Reads the ledger of all members. Time and cost grow with the size of the table. */
export async function readLedger(table: WholeTable): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for await (const item of scan(table, ['ledger'])) entries.push(LedgerEntry.parse(item));
  return entries;
}

async function countersOfAll({ table }: Platform, partnerships: readonly string[]): Promise<Counter[]> {
  const counters: Counter[] = [];
  for (const uuid of partnerships) counters.push(...(await countersOf(table, uuid)));
  return counters;
}

const StoredEvent = z.pick(TriggerEvent, { uuid: true, userId: true, state: true, receivedAt: true });

/** Collects orders, payments, refunds and trigger events that are not finalized. */
class WorkBuilder {
  readonly #found: PendingWork[] = [];
  /**
   * Orders and claims with refunds that are not applied, and all their refunds, by the UUID that the refunds name. A
   * scan reads each order or claim before its refunds.
   */
  readonly #refunded = new Map<string, { readonly of: Refundable; readonly refunds: Refund[] }>();

  get pending(): PendingWork[] {
    return [...this.#found, ...[...this.#refunded.values()].flatMap(({ of, refunds }) => pendingRefunds(of, refunds))];
  }

  add(item: Item): void {
    const work = this.#workOf(item);
    if (work) this.#found.push(work);
  }

  #workOf(item: Item): PendingWork | undefined {
    const partition = partitionOf(item);
    if (partition === 'triggerEvent') return pendingTriggerEvent(StoredEvent.parse(item));
    if (isPayment(item)) return pendingPayment(parsePayment(item));
    if (partition !== 'order' && partition !== 'claim') return undefined;
    if (item.sk.startsWith(refundPrefix)) {
      const refund = Refund.parse(item);
      this.#refunded.get(refund.refundedUuid)?.refunds.push(refund);
      return undefined;
    }
    const refundable = partition === 'order' ? parseOrder(item) : parseClaim(item);
    if (!areRefundsApplied(refundable)) {
      this.#refunded.set(refundedUuidOf(refundable), { of: refundable, refunds: [] });
    }
    return isOrder(refundable) ? pendingOrder(refundable) : undefined;
  }
}

/**
 * Reads every item of some partitions, page by page. Each read is strongly consistent, but the items are read at
 * different moments.
 */
export async function* scan({ name, documents }: WholeTable, wanted: readonly Partition[]): AsyncGenerator<Item> {
  const values = Object.fromEntries(wanted.map((partition, index) => [`:p${index}`, partitions[partition]]));
  let from: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({
        TableName: name,
        ConsistentRead: true,
        FilterExpression: Object.keys(values)
          .map((value) => `begins_with(pk, ${value})`)
          .join(' OR '),
        ExpressionAttributeValues: values,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield* (page.Items ?? []) as Item[];
    from = page.LastEvaluatedKey;
  } while (from);
}
