import { createHash } from 'node:crypto';
import { uuidOf } from '../domain/ids.ts';
import { Order, type OrderKey, orderStatesBefore } from '../domain/order/order.ts';
import { defineEntity } from './entity.ts';
import { outboxWrite } from './outbox.ts';
import { settlementWrite } from './settlement.ts';
import { partitions } from './table.ts';
import { ConditionFailed, type TableClient } from './table-client.ts';
import { type Item, isNew, type Write } from './writes.ts';

/**
 * Orders. An order is one item, and one read finds it by either id: its key is a digest of the
 * merchant's own id, and the random bits of its UUID are the first of that digest. Those are the
 * partition; the sort key is the whole digest, so that two orders whose bits are alike are two still.
 */

const orders = defineEntity(Order, (uuid: string, digest: Buffer) => ({
  pk: partitionOf(uuid),
  sk: `${sortPrefix}${digest.toString('hex')}`,
}));

/** The order of an item of the table or its stream. */
export const orderOf = orders.parse;

const sortPrefix = 'ORDER#';

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

export class Orders {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
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
   * Writes an order's change.
   *
   * @throws ConditionFailed when the order is not as it was read
   */
  async change(order: Order): Promise<void> {
    await this.#table.write(orderChangeWrite(order));
  }
}

/** The write of an order's change, on the condition that no other came before it and its state allows it. */
export function orderChangeWrite(order: Order): Write {
  return settlementWrite(keyOf(order), order, orderStatesBefore(order.state));
}
