import { createHash } from 'node:crypto';
import { partitions } from '../../contracts/table.ts';
import { uuidOf } from '../../domain/ids.ts';
import { Order, type OrderKey, orderStatesBefore } from '../../domain/order/order.ts';
import { finalizationWrite } from '../award/finalization.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import { type Condition, ConditionFailedError, defineEntity, type Item, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

/**
 * Orders. An order is one item, and one read finds it by either id: its key is a digest of the
 * merchant's own id, and the random bits of its UUID are the first of that digest. Those are the
 * partition; the sort key is the whole digest, so that two orders whose bits are alike are two still.
 */

export const orders = defineEntity(Order, (uuid: string, digest: Buffer) => ({
  pk: orderPartition(uuid),
  sk: `${orderPrefix}${digest.toString('hex')}`,
}));

/** The order of an item of the table or its stream. */
export const parseOrder = orders.parse;

/** What the sort keys of orders begin with. */
export const orderPrefix = 'ORDER#';

/** What an order is known by in the table. */
export function orderDigest({ merchantId, externalOrderId }: OrderKey): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([merchantId, externalOrderId]))
    .digest();
}

/** The partition of an order and all that belongs to it: what of a UUID version 7 stands behind its time. */
export const orderPartition = (uuid: string) => `${partitions.order}${uuid.slice('00000000-0000-'.length)}`;

/** The UUID of an order that comes now. */
export function orderUuidOf(key: OrderKey, now: Date): string {
  return uuidOf(now, orderDigest(key));
}

/** The key of an order. */
export const orderKey = (key: OrderKey) => orders.key(orderUuidOf(key, new Date(0)), orderDigest(key));

/** The merchant has an order of this id already. */
export class OrderExistsError extends Error {
  override readonly name = 'OrderExistsError';
  readonly order: Order;

  constructor(order: Order) {
    super('The order id was used before');
    this.order = order;
  }
}

export class Orders {
  readonly #table: TableClient;
  readonly #nextUuid: () => string;

  constructor(table: TableClient, { nextUuid }: { readonly nextUuid: () => string }) {
    this.#table = table;
    this.#nextUuid = nextUuid;
  }

  async find(uuid: string): Promise<Order | undefined> {
    const items = await this.#table.query({ partition: orderPartition(uuid), sortBeginsWith: orderPrefix });
    return items.map(orders.parse).find((order) => order.uuid === uuid);
  }

  /** The order that a merchant calls by an id of its own. */
  async findByExternalId(key: OrderKey): Promise<Order | undefined> {
    const item = await this.#table.get(orderKey(key));
    return item && orders.parse(item);
  }

  /**
   * Writes a new order and announces it to the platform's own consumers.
   *
   * @throws OrderExistsError with the order that the merchant has of this id
   */
  async add(order: Order, eventId: string): Promise<void> {
    const { uuid: entityId, createdAt: occurredAt } = order;
    try {
      await this.#table.transact([
        { kind: 'put', item: orders.item(orderKey(order), order), when: isNew },
        outboxWrite({ id: eventId, name: 'order_received', entityId, occurredAt }),
      ]);
    } catch (error) {
      const met: Item | null | undefined = error instanceof ConditionFailedError ? error.met.get(0) : undefined;
      if (!met) throw error;
      throw new OrderExistsError(orders.parse(met));
    }
  }

  /**
   * Writes an order's change. Refunds that came while it was pending wait for it: they are announced again in
   * the same step.
   *
   * @throws ConditionFailedError when the order is not as it was read
   */
  async change(order: Order): Promise<void> {
    const change = orderChangeWrite(order);
    try {
      await this.#table.write({ ...change, when: [...(change.when ?? []), isNotRefunded] });
    } catch (error) {
      if (!(error instanceof ConditionFailedError) || !isRefunded(error.met.get(0))) throw error;
      await this.#table.transact([change, refundEvent(order, this.#nextUuid(), order.updatedAt)]);
    }
  }
}

const isNotRefunded: Condition = { attribute: 'refundedCents', is: 'at-most', value: 0 };

const isRefunded = (item: Item | null | undefined) => item != null && orders.parse(item).refundedCents > 0;

/** The event that tells of an order's refunds: whoever hears it applies all that are there. */
export const refundEvent = ({ uuid: entityId }: Order, id: string, occurredAt: string): Write =>
  outboxWrite({ id, name: 'refund_received', entityId, occurredAt });

/** The write of an order's change, on the condition that no other came before it and its state allows it. */
export function orderChangeWrite(order: Order): Write {
  const { refundsAppliedCents } = order;
  return finalizationWrite(orderKey(order), order, {
    before: orderStatesBefore(order.state),
    along: { refundsAppliedCents },
  });
}
