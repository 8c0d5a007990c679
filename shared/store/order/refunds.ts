import { createHash } from 'node:crypto';
import { afterChange } from '../../domain/award/finalization.ts';
import type { Order, OrderKey } from '../../domain/order/order.ts';
import { Refund } from '../../domain/order/refund.ts';
import { ConditionFailedError, defineEntity, isNew } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { orderChangeWrite, orderDigest, orderKey, orderPartition, orderPrefix, orders, refundEvent } from './orders.ts';

/** Refunds of orders. They are in the partition of their order, each under a digest of the merchant's own id. */

const refunds = defineEntity(Refund, (order: OrderKey, externalRefundId: string) => ({
  pk: orderKey(order).pk,
  sk: `${refundPrefix(order)}${createHash('sha256').update(externalRefundId).digest('hex')}`,
}));

const refundPrefix = (order: OrderKey) => `REFUND#${orderDigest(order).toString('hex')}#`;

/** The order has a refund with this id. */
export class RefundExistsError extends Error {
  override readonly name = 'RefundExistsError';
  readonly refund: Refund;

  constructor(refund: Refund) {
    super('the order has a refund with this id');
    this.refund = refund;
  }
}

/** The refund is more than the rest of the order. */
export class RefundExceedsOrderError extends Error {
  override readonly name = 'RefundExceedsOrderError';

  constructor() {
    super('the refunds of the order would exceed its total');
  }
}

/** An order with its refunds. */
export interface RefundedOrder {
  readonly order: Order;
  /** The oldest first. */
  readonly refunds: readonly Refund[];
}

/** Refunds of orders, and their changes of the order. */
export class OrderRefunds {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** An order with its refunds, in one read. */
  async findWithOrder(uuid: string): Promise<RefundedOrder | undefined> {
    const items = await this.#table.query({ partition: orderPartition(uuid) });
    const order = items
      .filter(({ sk }) => sk.startsWith(orderPrefix))
      .map(orders.parse)
      .find((one) => one.uuid === uuid);
    if (!order) return undefined;
    const own = items.filter(({ sk }) => sk.startsWith(refundPrefix(order))).map(refunds.parse);
    return { order, refunds: own.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)) };
  }

  /**
   * Writes a new refund and announces it to the platform's own consumers.
   *
   * @throws RefundExistsError with the refund that has the merchant's id
   * @throws RefundExceedsOrderError when the refund is more than the rest of the order
   */
  async add(order: Order, refund: Refund, eventId: string): Promise<void> {
    const { amountCents, createdAt } = refund;
    try {
      await this.#table.transact([
        { kind: 'put', item: refunds.item(refunds.key(order, refund.externalRefundId), refund), when: isNew },
        {
          kind: 'update',
          key: orderKey(order),
          // Without a condition on the revision: other changes of the order do not conflict with refunds.
          changes: { add: { refundedCents: amountCents } },
          when: [
            // The total is compared as well, because `at-most` holds for an order without refunds.
            { attribute: 'totalCents', is: '>=', value: amountCents },
            { attribute: 'refundedCents', is: 'at-most', value: order.totalCents - amountCents },
          ],
        },
        refundEvent(order, eventId, createdAt),
      ]);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const met = error.met.get(0);
      if (met) throw new RefundExistsError(refunds.parse(met));
      if (error.met.has(1)) throw new RefundExceedsOrderError();
      throw error;
    }
  }

  /**
   * Marks a refund as applied, and writes the order as it is then.
   *
   * @returns the order, ready for its next change
   * @throws ConditionFailedError when the refund was applied before, or the order was changed since it was read
   */
  async apply(order: Order, { externalRefundId }: Refund): Promise<Order> {
    await this.#table.transact([
      orderChangeWrite(order),
      {
        kind: 'update',
        key: refunds.key(order, externalRefundId),
        changes: { set: { state: 'APPLIED', updatedAt: order.updatedAt } },
        when: [{ attribute: 'state', is: '=', value: 'PENDING' }],
      },
    ]);
    return afterChange(order);
  }
}
