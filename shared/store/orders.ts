import { createHash } from 'node:crypto';
import { uuidOf } from '../domain/ids.ts';
import { Order, type OrderKey, orderStatesBefore } from '../domain/order/order.ts';
import { Refund } from '../domain/order/refund.ts';
import { defineEntity } from './entity.ts';
import type { Condition } from './expression.ts';
import { outboxWrite } from './outbox.ts';
import { partitions } from './table.ts';
import { ConditionFailed, type TableClient } from './table-client.ts';
import { exists, type Item, isNew, type Write } from './writes.ts';

/**
 * Orders. An order is one item, and one read finds it by either id: its key is a digest of the
 * merchant's own id, and the random bits of its UUID are the first of that digest. Those are the
 * partition; the sort key is the whole digest, so that two orders whose bits are alike are two still.
 * An order's refunds lie beside it, each under a digest of the merchant's own id of it.
 */

const orders = defineEntity(Order, (uuid: string, digest: Buffer) => ({
  pk: partitionOf(uuid),
  sk: `${sortPrefix}${digest.toString('hex')}`,
}));

const sortPrefix = 'ORDER#';

const refunds = defineEntity(Refund, (order: OrderKey, externalRefundId: string) => ({
  pk: keyOf(order).pk,
  sk: `${refundPrefix(order)}${createHash('sha256').update(externalRefundId).digest('hex')}`,
}));

const refundPrefix = (order: OrderKey) => `REFUND#${digestOf(order).toString('hex')}#`;

function digestOf({ merchantId, externalOrderId }: OrderKey): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([merchantId, externalOrderId]))
    .digest();
}

/** What of a UUID version 7 stands behind its time. */
const partitionOf = (uuid: string) => `${partitions.order}${uuid.slice('00000000-0000-'.length)}`;

/** The UUID of an order that comes now. */
export function orderUuidOf(key: OrderKey, now: Date): string {
  return uuidOf(now, digestOf(key));
}

const keyOf = (key: OrderKey) => orders.key(orderUuidOf(key, new Date(0)), digestOf(key));

/** The merchant has an order of this id already. */
export class OrderExists extends Error {
  override readonly name = 'OrderExists';
  readonly order: Order;

  constructor(order: Order) {
    super('the merchant has an order of this id');
    this.order = order;
  }
}

/** The order has a refund of this id already. */
export class RefundExists extends Error {
  override readonly name = 'RefundExists';
  readonly refund: Refund;

  constructor(refund: Refund) {
    super('the order has a refund of this id');
    this.refund = refund;
  }
}

/** Less is left of the order than is to be refunded. */
export class RefundExceedsOrder extends Error {
  override readonly name = 'RefundExceedsOrder';

  constructor() {
    super('the refunds of the order would be more than its total');
  }
}

/** An order with everything that was refunded of it. */
export interface RefundedOrder {
  readonly order: Order;
  /** The oldest first. */
  readonly refunds: readonly Refund[];
}

export class Orders {
  readonly #table: TableClient;
  readonly #nextUuid: () => string;

  constructor(table: TableClient, { nextUuid }: { readonly nextUuid: () => string }) {
    this.#table = table;
    this.#nextUuid = nextUuid;
  }

  async find(uuid: string): Promise<Order | undefined> {
    const items = await this.#table.query({ partition: partitionOf(uuid), sortBeginsWith: sortPrefix });
    return items.map(orders.parse).find((order) => order.uuid === uuid);
  }

  /** The order that a merchant calls by an id of its own. */
  async findByExternalId(key: OrderKey): Promise<Order | undefined> {
    const item = await this.#table.get(keyOf(key));
    return item && orders.parse(item);
  }

  /**
   * Writes a new order and announces it to the platform's own consumers.
   *
   * @throws OrderExists with the order that the merchant has of this id
   */
  async add(order: Order, eventId: string): Promise<void> {
    const { uuid: entityId, createdAt: occurredAt } = order;
    try {
      await this.#table.transact([
        { kind: 'put', item: orders.item(keyOf(order), order), when: isNew },
        outboxWrite({ id: eventId, name: 'order_received', entityId, occurredAt }),
      ]);
    } catch (error) {
      const met: Item | null | undefined = error instanceof ConditionFailed ? error.met.get(0) : undefined;
      if (!met) throw error;
      throw new OrderExists(orders.parse(met));
    }
  }

  /**
   * Writes an order's change. Refunds that came while it was pending wait for it: they are announced again in
   * the same step.
   *
   * @throws ConditionFailed when the order is not as it was read
   */
  async change(order: Order): Promise<void> {
    const change = orderChangeWrite(order);
    try {
      await this.#table.write({ ...change, when: [...(change.when ?? []), isNotRefunded] });
    } catch (error) {
      if (!(error instanceof ConditionFailed) || !isRefunded(error.met.get(0))) throw error;
      await this.#table.transact([change, refundEvent(order, this.#nextUuid(), order.updatedAt)]);
    }
  }

  /** An order with its refunds, in one read; undefined when there is none. */
  async findWithRefunds(uuid: string): Promise<RefundedOrder | undefined> {
    const items = await this.#table.query({ partition: partitionOf(uuid) });
    const order = items
      .filter(({ sk }) => sk.startsWith(sortPrefix))
      .map(orders.parse)
      .find((one) => one.uuid === uuid);
    if (!order) return undefined;
    const own = items.filter(({ sk }) => sk.startsWith(refundPrefix(order))).map(refunds.parse);
    return { order, refunds: own.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)) };
  }

  /**
   * Writes a new refund and announces it to the platform's own consumers.
   *
   * @throws RefundExists with the refund that the order has of this id
   * @throws RefundExceedsOrder when less is left of the order
   */
  async addRefund(order: Order, refund: Refund, eventId: string): Promise<void> {
    const { amountCents, createdAt } = refund;
    try {
      await this.#table.transact([
        { kind: 'put', item: refunds.item(refunds.key(order, refund.externalRefundId), refund), when: isNew },
        {
          kind: 'update',
          key: keyOf(order),
          // Nobody else's change of the order is in the way of it, and it is in nobody's.
          changes: { add: { refundedCents: amountCents } },
          when: [...exists, { attribute: 'refundedCents', is: 'at-most', value: order.totalCents - amountCents }],
        },
        refundEvent(order, eventId, createdAt),
      ]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const met = error.met.get(0);
      if (met) throw new RefundExists(refunds.parse(met));
      if (error.met.has(1)) throw new RefundExceedsOrder();
      throw error;
    }
  }

  /**
   * Writes that a refund is applied, with the order as it is then.
   *
   * @returns the order, ready for its next change
   * @throws ConditionFailed when the refund was applied already, or the order is not as it was read
   */
  async refundApplied(order: Order, { externalRefundId }: Refund): Promise<Order> {
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

const isNotRefunded: Condition = { attribute: 'refundedCents', is: 'at-most', value: 0 };

const isRefunded = (item: Item | null | undefined) => item != null && orders.parse(item).refundedCents > 0;

/** The event that tells of an order's refunds: whoever hears it applies all that are there. */
const refundEvent = ({ uuid: entityId }: Order, id: string, occurredAt: string): Write =>
  outboxWrite({ id, name: 'refund_received', entityId, occurredAt });

/** The write of an order's change, on the condition that no other came before it and its state allows it. */
export function orderChangeWrite(order: Order): Write {
  const { state, transactionIds, rejection, refundsAppliedCents, updatedAt, revision } = afterChange(order);
  const changed = { state, transactionIds, refundsAppliedCents, updatedAt, revision };
  return {
    kind: 'update',
    key: keyOf(order),
    changes: { set: { ...changed, ...(rejection !== undefined && { rejection }) } },
    when: [
      { attribute: 'revision', is: '=', value: order.revision },
      { attribute: 'state', is: 'in', values: [state, ...orderStatesBefore(state)] },
    ],
  };
}

/** The order once its change is written. */
export function afterChange(order: Order): Order {
  return { ...order, revision: order.revision + 1 };
}
