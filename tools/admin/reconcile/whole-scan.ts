import * as z from 'zod/mini';
import { bookPartitions, type Partition } from '../../../shared/contracts/table.ts';
import { ProgramAccount } from '../../../shared/domain/connect/program-account.ts';
import {
  areRefundsApplied,
  isOrder,
  Refund,
  type Refundable,
  refundedUuidOf,
} from '../../../shared/domain/order/refund.ts';
import type { UnreadableItem } from '../../../shared/domain/reconciliation/invariants.ts';
import {
  type PendingWork,
  pendingOrder,
  pendingPayment,
  pendingRefunds,
  pendingTriggerEvent,
} from '../../../shared/domain/reconciliation/pending.ts';
import { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { partitionOf, unreadableItem } from '../../../shared/operations/reconcile/book-builder.ts';
import { parseClaim } from '../../../shared/store/award/claims.ts';
import { type BookPage, type BookSource, isScanned } from '../../../shared/store/ledger/reconciliations.ts';
import { parseOrder } from '../../../shared/store/order/orders.ts';
import { refundPrefix } from '../../../shared/store/order/refunds.ts';
import { isPayment, parsePayment } from '../../../shared/store/payment/payments.ts';
import type { Item, Key } from '../../../shared/store/table/table-client.ts';
import { readPage, type WholeTable } from './read-books.ts';

const wanted: readonly Partition[] = [...bookPartitions, 'triggerEvent', 'counted'];

/**
 * The scan of a reconciliation by an operator, who may read all attributes. So it also finds the work that is not
 * finalized, and checks the schemas of items that are not compared.
 */
export class WholeScan implements BookSource {
  readonly unread = {};
  readonly #table: WholeTable;
  /** What the last scan found. */
  work = new WorkBuilder();

  constructor(table: WholeTable) {
    this.#table = table;
  }

  async after(position: Key | undefined): Promise<BookPage> {
    if (!position) this.work = new WorkBuilder();
    const page = await readPage(this.#table, wanted, position);
    for (const item of page.items) this.work.add(item);
    return { ...page, items: page.items.filter(isScanned) };
  }
}

const StoredEvent = z.pick(TriggerEvent, { uuid: true, userId: true, state: true, receivedAt: true });

/** Collects orders, payments, refunds and trigger events that are not finalized. */
class WorkBuilder {
  /** Items that their schemas refuse. Items of the books may be among them. */
  readonly unreadable: UnreadableItem[] = [];
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
    try {
      const work = this.#workOf(item);
      if (work) this.#found.push(work);
    } catch (error) {
      this.unreadable.push(unreadableItem(item, error));
    }
  }

  #workOf(item: Item): PendingWork | undefined {
    const partition = partitionOf(item);
    if (partition === 'triggerEvent') return pendingTriggerEvent(StoredEvent.parse(item));
    if (partition === 'programAccount' && item.sk === 'PROGRAM_ACCOUNT') ProgramAccount.parse(item);
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
