import * as z from 'zod/mini';
import { BusEvent, type EventName, type PlatformEvent } from '../../contracts/events.ts';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { defineEntity, isNew, type Write, type WriteContext } from '../table/table-client.ts';

/** An event in the table. It is written in the transaction of its change. */
const OutboxItem = z.object({ event: BusEvent });

const entity = defineEntity(OutboxItem, (eventId: string) => ({ pk: `${partitions.outbox}${eventId}`, sk: 'EVENT' }));

/** The event of an outbox item of the table or its stream. */
export const outboxEventOf = (item: Parameters<typeof entity.parse>[0]): BusEvent => entity.parse(item).event;

/** The write of an event, for the transaction of its change. */
export function outboxWrite(event: BusEvent): Write {
  const ttl = toSeconds(Date.parse(event.occurredAt) + retentionMs.outboxEvent);
  return { kind: 'put', item: entity.item(entity.key(event.id), { event }, { [ttlAttribute]: ttl }), when: isNew };
}

/** The internal event that starts applying refunds of an order, or of what a token moved. */
export function refundReceivedWrite(refundedUuid: string, { now, nextUuid }: WriteContext): Write {
  const occurredAt = now.toISOString();
  return outboxWrite({ id: nextUuid(), name: 'refund_received', entityId: refundedUuid, occurredAt });
}

/** The internal event that starts the processing of a payment. */
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
