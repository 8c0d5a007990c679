import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Partition, partitions } from '../../../shared/contracts/table.ts';
import { AwardClaim } from '../../../shared/domain/award/claim.ts';
import { ProgramAccount } from '../../../shared/domain/connect/program-account.ts';
import { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import { ManualAdjustment } from '../../../shared/domain/ledger/manual-adjustment.ts';
import type { PayoutInBatch } from '../../../shared/domain/ledger/payout.ts';
import { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { type LimitUsage, Membership, MergedUser, SpendTotal } from '../../../shared/domain/member/member.ts';
import { areRefundsApplied, isOrder, Refund, refundedUuidOf } from '../../../shared/domain/order/refund.ts';
import type { Purchase } from '../../../shared/domain/order/spend.ts';
import type { Books } from '../../../shared/domain/reconciliation/invariants.ts';
import {
  type PendingWork,
  pendingOrder,
  pendingRefund,
  pendingTriggerEvent,
} from '../../../shared/domain/reconciliation/pending.ts';
import { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { allPartnerships } from '../../../shared/operations/partnership/manage-partnership.ts';
import type { TotalsReading } from '../../../shared/operations/reconcile-totals.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { parseClaim } from '../../../shared/store/award/claims.ts';
import { isAdjustmentRecord } from '../../../shared/store/ledger/manual-adjustments.ts';
import { parsePayout } from '../../../shared/store/ledger/payouts.ts';
import { type Counter, countedEntryName, countersOf } from '../../../shared/store/ledger/totals.ts';
import { parseVelocityCounter, type VelocityCounter } from '../../../shared/store/ledger/velocity-counters.ts';
import { isUsage, parseUsage } from '../../../shared/store/member/members.ts';
import { parsePurchase } from '../../../shared/store/member/spend.ts';
import { parseOrder } from '../../../shared/store/order/orders.ts';
import { refundPrefix } from '../../../shared/store/order/refunds.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';

/** A table that operators and tests may read completely. No function may. */
export interface WholeTable {
  readonly name: string;
  readonly documents: DynamoDBDocumentClient;
}

/** One reading of the whole table: the books, and the counters of totals before and after the books. */
export interface Reading extends TotalsReading {
  readonly books: Books;
  /** Orders, refunds and trigger events that are not finalized. */
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
  for await (const item of scan(table, [...bookPartitions, 'order', 'triggerEvent', 'counted'])) {
    if (partitionOf(item) === 'counted') counted.add(countedEntryName(item));
    else books.add(item);
    work.add(item);
  }
  const after = await countersOfAll(platform, partnerships);
  const { pending } = work;
  return { books, pending, partnerships, before, after, entries: books.entries, counted, now };
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

/** The partitions that the books are read from. */
export const bookPartitions: readonly Partition[] = [
  'user',
  'transaction',
  'claim',
  'velocity',
  'ledger',
  'programAccount',
  'countedSpend',
  'adjustment',
  'payout',
];

/** Builds the books item by item, so the items of a table are not in memory twice. */
export class BookBuilder implements Books {
  readonly memberships: Membership[] = [];
  readonly transactions: RewardTransaction[] = [];
  readonly claims: AwardClaim[] = [];
  readonly entries: LedgerEntry[] = [];
  readonly usage: LimitUsage[] = [];
  readonly velocity: VelocityCounter[] = [];
  readonly programAccounts: ProgramAccount[] = [];
  readonly spending: { totals: SpendTotal[]; purchases: Purchase[]; unknownPurchases: number } = {
    totals: [],
    purchases: [],
    unknownPurchases: 0,
  };
  readonly merges = new Map<number, number>();
  readonly adjustments: ManualAdjustment[] = [];
  readonly payouts: PayoutInBatch[] = [];

  /** Adds an item. An item that does not belong to the books is ignored. */
  add(item: Item): void {
    const partition = partitionOf(item);
    if (partition) this.#adders[partition]?.(item);
  }

  readonly #adders: { readonly [Name in Partition]?: (item: Item) => void } = {
    user: (item) => {
      if (item.sk.startsWith('PROGRAM#')) this.memberships.push(Membership.parse(item));
      if (item.sk === 'MERGED') {
        const { userId, mergedInto } = MergedUser.parse(item);
        this.merges.set(userId, mergedInto);
      }
      if (isUsage(item)) this.usage.push(parseUsage(item));
      if (item.sk.startsWith('SPEND#')) this.spending.totals.push(SpendTotal.parse(item));
    },
    transaction: (item) => {
      if (item.sk === 'TRANSACTION') this.transactions.push(RewardTransaction.parse(item));
    },
    claim: (item) => {
      if (item.sk === 'CLAIM') this.claims.push(AwardClaim.parse(item));
    },
    velocity: (item) => {
      this.velocity.push(parseVelocityCounter(item));
    },
    ledger: (item) => {
      this.entries.push(LedgerEntry.parse(item));
    },
    adjustment: (item) => {
      if (isAdjustmentRecord(item)) this.adjustments.push(ManualAdjustment.parse(item));
    },
    payout: (item) => {
      const payout = parsePayout(item);
      if (payout) this.payouts.push(payout);
    },
    programAccount: (item) => {
      if (item.sk === 'PROGRAM_ACCOUNT') this.programAccounts.push(ProgramAccount.parse(item));
    },
    countedSpend: (item) => {
      const purchase = parsePurchase(item);
      if (purchase) this.spending.purchases.push(purchase);
      else this.spending.unknownPurchases += 1;
    },
  };
}

const StoredEvent = z.pick(TriggerEvent, { uuid: true, userId: true, state: true, receivedAt: true });

/** Collects orders, refunds and trigger events that are not finalized. */
class WorkBuilder {
  readonly pending: PendingWork[] = [];
  /**
   * The user ids of members, by the keys of their orders and claims. A scan reads each order or claim before its
   * refunds.
   */
  readonly #members = new Map<string, number>();

  add(item: Item): void {
    const work = this.#workOf(item);
    if (work) this.pending.push(work);
  }

  #workOf(item: Item): PendingWork | undefined {
    const partition = partitionOf(item);
    if (partition === 'triggerEvent') return pendingTriggerEvent(StoredEvent.parse(item));
    if (partition !== 'order' && partition !== 'claim') return undefined;
    if (item.sk.startsWith(refundPrefix)) {
      const refund = Refund.parse(item);
      return pendingRefund(refund, this.#members.get(refund.refundedUuid) ?? null);
    }
    const refundable = partition === 'order' ? parseOrder(item) : parseClaim(item);
    if (refundable.refundedCents && !areRefundsApplied(refundable)) {
      this.#members.set(refundedUuidOf(refundable), refundable.userId);
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

/** The kind of partition that an item is in. */
export function partitionOf({ pk }: Item): Partition | undefined {
  const prefix = pk.slice(0, pk.indexOf('#') + 1);
  return (Object.keys(partitions) as Partition[]).find((partition) => partitions[partition] === prefix);
}
