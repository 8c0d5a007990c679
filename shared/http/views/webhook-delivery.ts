import * as z from 'zod/mini';
import { entityTypes, eventEntities, PlatformEvent } from '../../contracts/events.ts';
import type { DeliveryDetails } from '../../store/webhook/deliveries.ts';
import { ErrorClass } from '../../webhooks/attempt-outcome.ts';
import { type Delivery, deliveryStates, type FailedAttempt } from '../../webhooks/delivery.ts';
import { datetime } from '../wire.ts';

/** A delivery with the result of its last attempt. */
export const DeliveryView = z.object({
  event_id: z.string(),
  event: PlatformEvent.shape.name,
  entity: z.enum(entityTypes),
  entity_id: z.string(),
  occurred_at: datetime,
  state: z.enum(deliveryStates),
  attempts_made: z.int(),
  response_status: z.nullable(z.int()),
  error_class: z.nullable(ErrorClass),
  total_ms: z.nullable(z.number()),
  address: z.nullable(z.string()),
  next_attempt_at: z.nullable(datetime),
  last_updated_date: datetime,
});

export function deliveryView(delivery: Delivery): z.input<typeof DeliveryView> {
  const { event, state, attempts, at, status, errorClass, totalMs, address, nextAttemptAt } = delivery;
  return {
    event_id: event.id,
    event: event.name,
    entity: eventEntities[event.name],
    entity_id: event.entityId,
    occurred_at: event.occurredAt,
    state,
    attempts_made: attempts,
    response_status: status ?? null,
    error_class: errorClass ?? null,
    total_ms: totalMs ?? null,
    address: address ?? null,
    next_attempt_at: nextAttemptAt ?? null,
    last_updated_date: at,
  };
}

/** One attempt of a delivery. Of a success, the log contains the total time only. */
export const AttemptView = z.object({
  attempt: z.int(),
  at: datetime,
  result: z.enum(['delivered', 'failed']),
  response_status: z.nullable(z.int()),
  error_class: z.nullable(ErrorClass),
  total_ms: z.nullable(z.number()),
  dns_ms: z.nullable(z.number()),
  connect_ms: z.nullable(z.number()),
  tls_ms: z.nullable(z.number()),
  first_byte_ms: z.nullable(z.number()),
  address: z.nullable(z.string()),
  endpoint: z.nullable(z.string()),
  response_excerpt: z.nullable(z.string()),
});

/** The attempts of a delivery, the first one first. After a replay, their numbers begin again. */
export function attemptsView({ delivery, failedAttempts }: DeliveryDetails): z.input<typeof AttemptView>[] {
  const failed = failedAttempts.map(failedView);
  return delivery.state === 'delivered' ? [...failed, deliveredView(delivery)] : failed;
}

function failedView({ attempt, at, endpointUrl, outcome }: FailedAttempt): z.input<typeof AttemptView> {
  const { timing, address, excerpt, status } = outcome;
  return {
    ...{ attempt, at, result: 'failed', response_status: status ?? null },
    error_class: outcome.result === 'failed' ? outcome.errorClass : null,
    total_ms: timing.totalMs,
    dns_ms: timing.dnsMs ?? null,
    connect_ms: timing.connectMs ?? null,
    tls_ms: timing.tlsMs ?? null,
    first_byte_ms: timing.firstByteMs ?? null,
    ...{ address: address ?? null, endpoint: endpointUrl, response_excerpt: excerpt ?? null },
  };
}

function deliveredView({ attempts, at, status, totalMs, address }: Delivery): z.input<typeof AttemptView> {
  return {
    ...{ attempt: attempts, at, result: 'delivered', response_status: status ?? null, error_class: null },
    ...{ total_ms: totalMs ?? null, dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
    ...{ address: address ?? null, endpoint: null, response_excerpt: null },
  };
}
