import * as z from 'zod/mini';
import { type BusEvent, type EventName, type PlatformEvent, RelayedEvent } from '../../contracts/events.ts';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { outboxAttribute, partitions, ttlAttribute } from '../../contracts/table.ts';
import { defineEntity, type Item, isNew, requestIdOf, type Write, type WriteContext } from '../table/table-client.ts';

/** An event in the table. It is written in the DynamoDB transaction that writes the change. */
const OutboxItem = z.object({ event: RelayedEvent });

const entity = defineEntity(OutboxItem, (eventId: string) => ({ pk: `${partitions.outbox}${eventId}`, sk: 'EVENT' }));

/** Events that another item carries, so that they have no items of their own. */
const CarriedEvents = z.object({ [outboxAttribute]: z.object({ events: z.array(RelayedEvent) }) });

/**
 * The events of an item of the table or its stream: of an outbox item, or of an item that carries some.
 *
 * @throws ZodError when the item is neither
 */
export function eventsIn(item: Item): RelayedEvent[] {
  if (item.pk.startsWith(partitions.outbox)) return [entity.parse(item).event];
  return CarriedEvents.parse(item)[outboxAttribute].events;
}

/** Whether a change of an item added events to it. */
export function addsEvents(after: Item, before: Item | undefined): boolean {
  if (after.pk.startsWith(partitions.outbox)) return before === undefined;
  return after[outboxAttribute] !== undefined && before?.[outboxAttribute] === undefined;
}

/**
 * The attribute in which an item carries events, so that the events need no items of their own. The item must never be
 * deleted, and must not have carried events before (decision 0090).
 */
export function carrying(events: readonly BusEvent[]): Record<string, unknown> {
  const [first] = events;
  return first ? { [outboxAttribute]: { occurredAt: first.occurredAt, events: events.map(withRequestId) } } : {};
}

/** The event with the id of the request that it follows from. */
function withRequestId(event: BusEvent): BusEvent {
  const requestId = event.requestId ?? requestIdOf(event.entityId);
  return requestId === undefined ? event : { ...event, requestId };
}

/** The write of an event, for the DynamoDB transaction that writes the change. */
export function outboxWrite(event: BusEvent): Write {
  const ttl = toSeconds(Date.parse(event.occurredAt) + retentionMs.outboxEvent);
  const value = { event: withRequestId(event) };
  return { kind: 'put', item: entity.item(entity.key(event.id), value, { [ttlAttribute]: ttl }), when: isNew };
}

/** The write of the internal event that makes a consumer settle the purchase of a refunded order or award claim. */
export function refundReceivedWrite(refundedUuid: string, { now, nextUuid }: WriteContext): Write {
  const occurredAt = now.toISOString();
  return outboxWrite({ id: nextUuid(), name: 'refund_received', entityId: refundedUuid, occurredAt });
}

/** The internal event that makes a consumer settle the purchase of a transaction again. */
export function purchaseChangedWrite(transactionUuid: string, { now, nextUuid }: WriteContext): Write {
  return outboxWrite({
    id: nextUuid(),
    name: 'purchase_changed',
    entityId: transactionUuid,
    occurredAt: now.toISOString(),
  });
}

/** The internal event that makes a consumer settle the purchase of an order. */
export function orderReceivedWrite(orderUuid: string, { now, nextUuid }: WriteContext): Write {
  return outboxWrite({ id: nextUuid(), name: 'order_received', entityId: orderUuid, occurredAt: now.toISOString() });
}

/** The internal event that makes a consumer settle the purchase of a payment. */
export function paymentChangedWrite(uuid: string, { now, nextUuid }: WriteContext): Write {
  return outboxWrite({ id: nextUuid(), name: 'payment_changed', entityId: uuid, occurredAt: now.toISOString() });
}

/** An event about a campaign. */
export function campaignEvent(
  name: EventName,
  about: { readonly id: number; readonly merchantId: number; readonly partnerId: number },
  when: { readonly id: string; readonly at: string },
): PlatformEvent {
  const { merchantId, partnerId } = about;
  return { id: when.id, name, entityId: String(about.id), occurredAt: when.at, merchantId, partnerId };
}

/** An event about an order, for its merchant. */
export function orderEvent(
  name: EventName,
  about: { readonly uuid: string; readonly merchantId: number },
  when: { readonly id: string; readonly at: string },
): PlatformEvent {
  const { uuid: entityId, merchantId } = about;
  return { id: when.id, name, entityId, occurredAt: when.at, merchantId, partnerId: merchantId };
}

/** An event about a transaction. */
export function transactionEvent(
  name: EventName,
  about: { readonly uuid: string; readonly merchantId: number; readonly partnerId: number },
  when: { readonly id: string; readonly at: string },
): PlatformEvent {
  return {
    id: when.id,
    name,
    entityId: about.uuid,
    occurredAt: when.at,
    merchantId: about.merchantId,
    partnerId: about.partnerId,
  };
}
