import type { RelayedEvent } from '../../../shared/contracts/events.ts';
import { outboxAttribute, partitions } from '../../../shared/contracts/table.ts';
import { integerIdOf, isUuid, parseIntegerId } from '../../../shared/domain/ids.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadPurchase } from '../../../shared/operations/purchase/find-purchase.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { orderKey } from '../../../shared/store/order/orders.ts';
import { eventsIn } from '../../../shared/store/outbox/outbox.ts';
import type { Item, Key } from '../../../shared/store/table/table-client.ts';
import type { Delivery, FailedAttempt } from '../../../shared/webhooks/delivery.ts';

/**
 * The rows of the table that belong to one purchase or event, and the events that were written together with these
 * rows.
 */
export interface Rows {
  readonly transactions: ReadonlyMap<number, RewardTransaction>;
  readonly orders: ReadonlyMap<string, OrderRow>;
  readonly events: ReadonlyMap<string, RelayedEvent>;
}

interface OrderRow {
  readonly uuid: string;
  readonly externalOrderId: string;
  readonly merchantId: number;
  readonly state: string;
  readonly createdAt: string;
}

/** A delivery of an event to an endpoint. */
export interface FoundDelivery {
  readonly endpointUrl: string;
  readonly organisationId: number;
  readonly delivery: Delivery;
  readonly failedAttempts: readonly FailedAttempt[];
}

/** Finds rows by the ids of transactions, orders and events, each row once. */
export class RowFinder implements Rows {
  readonly transactions = new Map<number, RewardTransaction>();
  readonly orders = new Map<string, OrderRow>();
  readonly events = new Map<string, RelayedEvent>();
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Adds the rows that belong to an id: a transaction by its number or UUID, an order by its UUID, or an event by its
   * UUID if it has an outbox item of its own.
   */
  async add(id: string): Promise<void> {
    const number = parseIntegerId(id) ?? integerIdOf(id);
    if (number !== undefined) await this.#addTransaction(number, id);
    if (!isUuid(id)) return;
    await this.#addEvents({ pk: `${partitions.outbox}${id}`, sk: 'EVENT' });
    const order = await this.#platform.orders.find(id);
    if (order) await this.#addOrder(order);
  }

  /** Adds the rows of a purchase, found by the merchant's own id of the order. @throws NotFoundError */
  async addPurchase(id: string, merchant: string): Promise<void> {
    const { purchase } = await loadPurchase({ id, merchant }, this.#platform);
    if (purchase.order) await this.#addOrder(purchase.order);
    for (const claim of purchase.claims) {
      for (const reward of claim.rewards) await this.#addTransaction(reward.id, String(reward.id));
    }
  }

  async #addTransaction(number: number, id: string): Promise<void> {
    if (this.transactions.has(number)) return;
    const transaction = await this.#platform.transactions.find(number);
    // Several UUIDs lead to the same integer id.
    if (!transaction || (isUuid(id) && transaction.uuid !== id)) return;
    this.transactions.set(number, transaction);
    const { uuid, userId, partnerId, merchantId, campaignId, externalTransactionId } = transaction;
    await this.#addEvents({ pk: `${partitions.transaction}${number}`, sk: 'TRANSACTION' });
    const partition = `${partitions.ledger}${userId}#${partnerId}`;
    for (const entry of await this.#platform.table.query({ partition, sortBeginsWith: `${uuid}#` })) {
      this.#addEventsOf(entry);
    }
    if (externalTransactionId === null) return;
    await this.#addEvents(claimKey({ merchantId, campaignId, externalTransactionId }));
    const order = await this.#platform.orders.findByExternalId({ merchantId, externalOrderId: externalTransactionId });
    if (order) await this.#addOrder(order);
  }

  async #addOrder(order: OrderRow): Promise<void> {
    if (this.orders.has(order.uuid)) return;
    this.orders.set(order.uuid, order);
    await this.#addEvents(orderKey(order));
  }

  async #addEvents(key: Key): Promise<void> {
    const item = await this.#platform.table.get(key);
    if (item) this.#addEventsOf(item);
  }

  #addEventsOf(item: Item): void {
    if (!item.pk.startsWith(partitions.outbox) && item[outboxAttribute] === undefined) return;
    for (const event of eventsIn(item)) this.events.set(event.id, event);
  }
}

/** Finds the deliveries of events to the subscriptions that the merchant and the partner have now. */
export async function findDeliveries(events: Iterable<RelayedEvent>, platform: Platform): Promise<FoundDelivery[]> {
  const found: FoundDelivery[] = [];
  for (const event of events) {
    if (!('merchantId' in event && 'partnerId' in event)) continue;
    for (const organisationId of new Set([Number(event.merchantId), Number(event.partnerId)])) {
      for (const { subscriptionId, endpointUrl } of await platform.subscriptions.of(organisationId)) {
        const details = await platform.deliveries.find(subscriptionId, event.id);
        if (details) found.push({ endpointUrl, organisationId, ...details });
      }
    }
  }
  return found;
}

/** The name of an organisation with its id. */
export async function organisationText(id: number, platform: Platform): Promise<string> {
  const { name } = await findOrganisation(String(id), platform);
  return `${name} (${id})`;
}
