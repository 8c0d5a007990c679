import { createHash } from 'node:crypto';
import { partitions } from '../../contracts/table.ts';
import { plainError } from '../../domain/errors.ts';
import { uuidOf } from '../../domain/ids.ts';
import { Order, type OrderKey, orderStatesBefore, Refund } from '../../domain/order/order.ts';
import { finalizationWrite } from '../award/claims.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  type RequestContext,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

/**
 * Orders. One read finds an order by either of its ids: the random bits of its UUID are the first bits of a digest of
 * the merchant's own id. These bits are the partition. The sort key is the whole digest, so two orders with equal bits
 * are still two items.
 */

const orders = defineEntity(Order, (uuid: string, digest: Buffer) => ({
  pk: orderPartition(uuid),
  sk: `${orderPrefix}${digest.toString('hex')}`,
}));

/** The order of an item of the table or its stream. */
export const parseOrder = orders.parse;

/** The beginning of the sort keys of orders. */
const orderPrefix = 'ORDER#';

/** The digest of the merchant's own id of an order. */
function orderDigest({ merchantId, externalOrderId }: OrderKey): Buffer {
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

/** The merchant has an order with this id. */
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

  /** The order with a merchant's own id. */
  async findByExternalId(key: OrderKey): Promise<Order | undefined> {
    const item = await this.#table.get(orderKey(key));
    return item && orders.parse(item);
  }

  /**
   * Writes a new order and announces it to the platform's own consumers.
   *
   * @throws OrderExistsError with the order that has the merchant's id
   */
  async add(order: Order, eventId: string, replyWrites: readonly Write[] = []): Promise<void> {
    const { uuid: entityId, createdAt: occurredAt } = order;
    try {
      await this.#table.transact([
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
   * Writes a changed order. Refunds that arrived while it was pending are announced again in the same transaction.
   *
   * @throws ConditionFailedError when the order was changed since it was read
   */
  async change(order: Order): Promise<void> {
    const change = orderChangeWrite(order);
    try {
      await this.#table.write({ ...change, when: [...(change.when ?? []), isNotRefunded] });
    } catch (error) {
      if (!(error instanceof ConditionFailedError) || !isRefunded(error.found.get(0))) throw error;
      await this.#table.transact([change, refundEvent(order, this.#nextUuid(), order.updatedAt)]);
    }
  }
}

/**
 * The writes that finalize an order together with its awards. Refunds that are recorded in the order are announced again.
 *
 * @param eventId the id of that announcement
 * @returns writes whose condition fails when the order was changed, or another refund arrived, since it was read
 */
export function orderEndWrites(order: Order, eventId: string): Write[] {
  const change = orderChangeWrite(order);
  const noOtherRefund: Condition = { attribute: 'refundedCents', is: 'at-most', value: order.refundedCents };
  return [
    { ...change, when: [...(change.when ?? []), noOtherRefund] },
    ...(order.refundedCents > 0 ? [refundEvent(order, eventId, order.updatedAt)] : []),
  ];
}

const isNotRefunded: Condition = { attribute: 'refundedCents', is: 'at-most', value: 0 };

const isRefunded = (item: Item | null | undefined) => item != null && orders.parse(item).refundedCents > 0;

/** The event that announces refunds of an order. Its consumer applies all refunds of the order. */
const refundEvent = ({ uuid: entityId }: Order, id: string, occurredAt: string): Write =>
  outboxWrite({ id, name: 'refund_received', entityId, occurredAt });

/** The write of a changed order, on the condition that it has not changed since and that its state allows it. */
export function orderChangeWrite(order: Order): Write {
  const { refundsAppliedCents } = order;
  return finalizationWrite(orderKey(order), order, {
    before: orderStatesBefore(order.state),
    others: { refundsAppliedCents },
  });
}

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
    super('The refund id was used before, for another amount');
    this.refund = refund;
  }
}

/** The refund is more than the rest of the order. */
export class RefundExceedsOrderError extends plainError(
  'RefundExceedsOrderError',
  'The refunds of the order would be more than its total',
) {}

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
  async add(order: Order, refund: Refund, { nextUuid, replyWrites = [] }: RequestContext): Promise<void> {
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
        refundEvent(order, nextUuid(), createdAt),
        ...replyWrites,
      ]);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const found = error.found.get(0);
      if (found) throw new RefundExistsError(refunds.parse(found));
      if (error.found.has(1)) throw new RefundExceedsOrderError();
      throw error;
    }
  }

  /**
   * Takes the turn to apply the refunds of an order. Other runs leave all refunds to its holder.
   *
   * @throws ConditionFailedError when another run has the turn
   */
  async takeTurn(order: Order, until: string, now: Date): Promise<void> {
    await this.#table.write({
      kind: 'update',
      key: orderKey(order),
      changes: { set: { refundTurnUntil: until } },
      when: [{ attribute: 'refundTurnUntil', is: 'at-most', value: now.toISOString() }],
    });
  }

  /**
   * Ends a turn.
   *
   * @param order as it was when its refunds were last read
   * @throws ConditionFailedError when more refunds have arrived since
   */
  async endTurn(order: Order, until: string): Promise<void> {
    await this.#table.write({
      kind: 'update',
      key: orderKey(order),
      changes: { remove: ['refundTurnUntil'] },
      when: [
        { attribute: 'refundTurnUntil', is: '=', value: until },
        { attribute: 'refundedCents', is: 'at-most', value: order.refundedCents },
      ],
    });
  }

  /**
   * Marks refunds as applied, and writes the order as it is then.
   *
   * @throws ConditionFailedError when one of the refunds was applied before, or the order was changed since it was read
   */
  async apply(order: Order, applied: readonly Refund[]): Promise<void> {
    const { updatedAt } = order;
    await this.#table.transact([
      orderChangeWrite(order),
      ...applied.map(
        ({ externalRefundId }): Write => ({
          kind: 'update',
          key: refunds.key(order, externalRefundId),
          changes: { set: { state: 'APPLIED', updatedAt } },
          when: [{ attribute: 'state', is: '=', value: 'PENDING' }],
        }),
      ),
    ]);
  }
}
