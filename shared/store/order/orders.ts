import { createHash } from 'node:crypto';
import { partitions } from '../../contracts/table.ts';
import { uuidOf } from '../../domain/ids.ts';
import { Order, type OrderKey, orderStatesBefore } from '../../domain/order/order.ts';
import { finalizationWrite } from '../award/claims.ts';
import { carrying, orderEvent, outboxWrite } from '../outbox/outbox.ts';
import { ConditionFailedError, defineEntity, type Item, isNew, Repository, type Write } from '../table/table-client.ts';

/**
 * Orders. One read finds an order by its UUID, or by the external id that the merchant gave it. The random bits of the
 * UUID are the first bits of a digest of the external id. These bits are the partition. The sort key is the whole
 * digest, so two orders with equal bits are two items.
 */

const orders = defineEntity(Order, (uuid: string, digest: Buffer) => ({
  pk: orderPartition(uuid),
  sk: `${orderPrefix}${digest.toString('hex')}`,
}));

/** Parses an order from an item of the table or of its stream. */
export const parseOrder = orders.parse;

/** The beginning of the sort keys of orders. */
const orderPrefix = 'ORDER#';

/** The digest of an order's external id. The sort keys of the order's refunds contain this digest. */
export function orderDigest({ merchantId, externalOrderId }: OrderKey): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([merchantId, externalOrderId]))
    .digest();
}

/** The partition of an order and its refunds: the part of a UUID version 7 that follows the time. */
const orderPartition = (uuid: string) => `${partitions.order}${uuid.slice('00000000-0000-'.length)}`;

/** The UUID of a new order. */
export function orderUuidOf(key: OrderKey, now: Date): string {
  return uuidOf(now, orderDigest(key));
}

/** The key of an order. */
export const orderKey = (key: OrderKey) => orders.key(orderUuidOf(key, new Date(0)), orderDigest(key));

/** The merchant has an order with this id already. */
export class OrderExistsError extends Error {
  override readonly name = 'OrderExistsError';
  readonly order: Order;

  constructor(order: Order) {
    super('The order id was used before');
    this.order = order;
  }
}

export class Orders extends Repository {
  async find(uuid: string): Promise<Order | undefined> {
    const items = await this.table.query({ partition: orderPartition(uuid), sortBeginsWith: orderPrefix });
    return items.map(orders.parse).find((order) => order.uuid === uuid);
  }

  /** The order to which a merchant gave this external id. */
  async findByExternalId(key: OrderKey): Promise<Order | undefined> {
    const item = await this.table.get(orderKey(key));
    return item && orders.parse(item);
  }

  /**
   * Writes a new order and announces it to the platform's own consumers.
   *
   * @throws OrderExistsError with the order that has the same external id
   */
  async add(order: Order, eventId: string, replyWrites: readonly Write[] = []): Promise<void> {
    const { uuid: entityId, createdAt: occurredAt } = order;
    try {
      await this.table.transact([
        { kind: 'put', item: orders.item(orderKey(order), order), when: isNew },
        outboxWrite({ id: eventId, name: 'order_received', entityId, occurredAt }),
        ...replyWrites,
      ]);
    } catch (error) {
      const found: Item | null | undefined = error instanceof ConditionFailedError ? error.found.get(0) : undefined;
      if (!found) throw error;
      throw new OrderExistsError(orders.parse(found));
    }
  }
}

/**
 * The write of an order that is PROCESSED or REJECTED now. The item carries the event for the merchant, because an
 * order is finalized once and its item is never deleted (decision 0090).
 */
export function orderFinalWrite(order: Order, eventId: string): Write {
  const name = order.state === 'PROCESSED' ? 'order_processed' : 'order_rejected';
  return orderChangeWrite(order, carrying([orderEvent(name, order, { id: eventId, at: order.updatedAt })]));
}

/**
 * The write of a changed order, on the condition that the order has not changed since it was read and that its state
 * allows the new state.
 *
 * @param attributes attributes that only the table uses
 */
export function orderChangeWrite(order: Order, attributes: Readonly<Record<string, unknown>> = {}): Write {
  const { refundsAppliedCents } = order;
  return finalizationWrite(orderKey(order), order, {
    before: orderStatesBefore(order.state),
    others: { refundsAppliedCents, ...attributes },
  });
}
