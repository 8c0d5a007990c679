import { createHash } from 'node:crypto';
import { partitions } from '../../contracts/table.ts';
import { uuidOf } from '../../domain/ids.ts';
import { Order, type OrderKey, orderStatesBefore } from '../../domain/order/order.ts';
import { finalizationWrite } from '../award/claims.ts';
import { carrying, orderEvent, outboxWrite, refundReceivedWrite } from '../outbox/outbox.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  Repository,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

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
  readonly #nextUuid: () => string;

  constructor(table: TableClient, { nextUuid }: { readonly nextUuid: () => string }) {
    super(table);
    this.#nextUuid = nextUuid;
  }

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

  /**
   * Finalizes an order, and announces the result to its merchant. If refunds arrived while the order was pending, the
   * same DynamoDB transaction announces them again.
   *
   * @throws ConditionFailedError when the order was changed since it was read
   */
  async finalize(order: Order): Promise<void> {
    const change = orderFinalWrite(order, this.#nextUuid());
    try {
      await this.table.write({ ...change, when: [...(change.when ?? []), isNotRefunded] });
    } catch (error) {
      if (!(error instanceof ConditionFailedError) || !isRefunded(error.found.get(0))) throw error;
      await this.table.transact([change, refundsAgainWrite(order, this.#nextUuid())]);
    }
  }
}

/**
 * The writes that finalize an order, for the DynamoDB transaction that writes its awards. They announce the result to
 * the merchant, and announce the recorded refunds of the order again.
 *
 * @param nextUuid returns the ids of these events
 * @returns writes that fail when the order changed, or another refund arrived, since the order was read
 */
export function orderEndWrites(order: Order, nextUuid: () => string): Write[] {
  const change = orderFinalWrite(order, nextUuid());
  const noOtherRefund: Condition = { attribute: 'refundedCents', is: 'at-most', value: order.refundedCents };
  return [
    { ...change, when: [...(change.when ?? []), noOtherRefund] },
    ...(order.refundedCents > 0 ? [refundsAgainWrite(order, nextUuid())] : []),
  ];
}

/**
 * The write of an order that is PROCESSED or REJECTED now. The item carries the event for the merchant, because an
 * order is finalized once and its item is never deleted (decision 0090).
 */
function orderFinalWrite(order: Order, eventId: string): Write {
  const name = order.state === 'PROCESSED' ? 'order_processed' : 'order_rejected';
  return orderChangeWrite(order, carrying([orderEvent(name, order, { id: eventId, at: order.updatedAt })]));
}

/** The event that announces the refunds of an order that was pending. */
const refundsAgainWrite = ({ uuid, updatedAt }: Order, eventId: string): Write =>
  refundReceivedWrite(uuid, { now: new Date(updatedAt), nextUuid: () => eventId });

const isNotRefunded: Condition = { attribute: 'refundedCents', is: 'at-most', value: 0 };

const isRefunded = (item: Item | null | undefined) => item != null && orders.parse(item).refundedCents > 0;

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
