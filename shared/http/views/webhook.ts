import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames, PlatformEvent } from '../../contracts/events.ts';
import type { EndpointOverview } from '../../operations/webhook/get-endpoint.ts';
import type { DeliveryDetails } from '../../store/webhook/deliveries.ts';
import type { Replay } from '../../store/webhook/replays.ts';
import { ErrorClass } from '../../webhooks/attempt-outcome.ts';
import { type Delivery, deliveryStates, type FailedAttempt } from '../../webhooks/delivery.ts';
import { EndpointHealth, laneOf, newHealth } from '../../webhooks/endpoint-health.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { datetime } from '../wire.ts';

/** A subscription, without its salts. */
export const SubscriptionView = z.object({
  subscription_id: z.uuid(),
  endpoint: z.string(),
  event_name: z.nullable(z.enum(eventNames)),
  entity_type: z.nullable(z.enum(entityTypes)),
  state: EndpointHealth.shape.state,
  salt_activates_at: z.nullable(datetime),
  created_date: datetime,
  last_updated_date: datetime,
});

/** A subscription in the examples of the documentation. */
export const subscriptionExample: z.input<typeof SubscriptionView> = {
  subscription_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05',
  endpoint: 'https://shop.example.com/webhooks',
  event_name: 'transaction_status_updated',
  entity_type: null,
  state: 'closed',
  salt_activates_at: null,
  created_date: '2026-01-01T00:00:00.000Z',
  last_updated_date: '2026-01-01T00:00:00.000Z',
};

export function subscriptionView(subscription: Subscription): z.input<typeof SubscriptionView> {
  const { subscriptionId, endpointUrl, eventName, entityType, health = newHealth, nextSalt } = subscription;
  return {
    subscription_id: subscriptionId,
    endpoint: endpointUrl,
    event_name: eventName ?? null,
    entity_type: entityType ?? null,
    state: health.state,
    salt_activates_at: nextSalt?.activatesAt ?? null,
    created_date: subscription.createdAt,
    last_updated_date: subscription.updatedAt,
  };
}

/** The data of replies about one subscription. */
export const subscriptionReply = (subscription: Subscription) => ({ subscription: subscriptionView(subscription) });

const count = z.int().check(z.gte(0));

/** The health of an endpoint, from its last deliveries and the deliveries that wait. */
export const HealthView = z.object({
  state: EndpointHealth.shape.state,
  disabled_reason: z.nullable(z.enum(['failing', 'gone'])),
  failing_since: z.nullable(datetime),
  next_attempt_at: z.nullable(datetime),
  lane: z.enum(['fast', 'slow']),
  attempted_deliveries: count,
  success_rate: z.nullable(z.number()),
  p50_ms: z.nullable(z.number()),
  p95_ms: z.nullable(z.number()),
  backlog: z.object({ deliveries: count, has_more: z.boolean(), oldest_event_at: z.nullable(datetime) }),
  replay_id: z.nullable(z.uuid()),
});

function healthView({ subscription, statistics, backlog }: EndpointOverview): z.input<typeof HealthView> {
  const { health = newHealth } = subscription;
  return {
    state: health.state,
    disabled_reason: health.disabledReason ?? null,
    failing_since: health.failingSince ?? null,
    next_attempt_at: health.resumeAt ?? null,
    lane: laneOf(health),
    attempted_deliveries: statistics.attempted,
    success_rate: statistics.successRate ?? null,
    p50_ms: statistics.p50Ms ?? null,
    p95_ms: statistics.p95Ms ?? null,
    backlog: { deliveries: backlog.count, has_more: backlog.hasMore, oldest_event_at: backlog.oldestAt ?? null },
    replay_id: health.replayId ?? null,
  };
}

/** A subscription and the health of its endpoint. */
export const overviewReply = (overview: EndpointOverview) => ({
  ...subscriptionReply(overview.subscription),
  health: healthView(overview),
});

/** A replay and its progress. */
export const ReplayView = z.object({
  replay_id: z.uuid(),
  state: z.enum(['running', 'done']),
  selection: z.enum(['undelivered', 'all']),
  since: datetime,
  until: datetime,
  replayed_deliveries: count,
  created_date: datetime,
  last_updated_date: datetime,
});

/** A replay in the examples of the documentation. */
export const replayExample: z.input<typeof ReplayView> = {
  replay_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e21',
  state: 'running',
  selection: 'undelivered',
  since: '2026-03-01T00:00:00.000Z',
  until: '2026-03-02T09:30:00.000Z',
  replayed_deliveries: 0,
  created_date: '2026-03-02T09:30:00.000Z',
  last_updated_date: '2026-03-02T09:30:00.000Z',
};

export function replayView(replay: Replay): z.input<typeof ReplayView> {
  const { replayId, state, scope, since, until, replayed, createdAt, updatedAt } = replay;
  return {
    ...{ replay_id: replayId, state, selection: scope === 'failed' ? 'undelivered' : 'all', since, until },
    ...{ replayed_deliveries: replayed, created_date: createdAt, last_updated_date: updatedAt },
  };
}

/** The data of replies about one replay. */
export const replayReply = (replay: Replay) => ({ replay: replayView(replay) });

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

/** A delivery in the examples of the documentation. */
export const deliveryExample: z.input<typeof DeliveryView> = {
  event_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11',
  event: 'transaction_status_updated',
  entity: 3,
  entity_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
  occurred_at: '2026-03-02T09:30:00.000Z',
  state: 'delivered',
  attempts_made: 2,
  response_status: 200,
  error_class: null,
  total_ms: 41.5,
  address: '203.0.113.7',
  next_attempt_at: null,
  last_updated_date: '2026-03-02T09:30:01.000Z',
};

/** The example of a delivery that waits for its first attempt. */
export const parkedExample: z.input<typeof DeliveryView> = {
  ...deliveryExample,
  state: 'parked',
  attempts_made: 0,
  response_status: null,
  total_ms: null,
  address: null,
  next_attempt_at: '2026-03-02T09:30:01.000Z',
};

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

/** The data of replies about one delivery. */
export const deliveryReply = (delivery: Delivery) => ({ delivery: deliveryView(delivery) });

/** One attempt of a delivery. For an attempt that succeeded, the log has only the total time. */
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

/** The attempts of a delivery, the oldest first. After a replay, their numbers begin again at 1. */
function attemptsView({ delivery, failedAttempts }: DeliveryDetails): z.input<typeof AttemptView>[] {
  const failed = failedAttempts.map(failedView);
  return delivery.state === 'delivered' ? [...failed, deliveredView(delivery)] : failed;
}

/** A delivery with all its attempts. */
export const detailsReply = (details: DeliveryDetails) => ({
  ...deliveryReply(details.delivery),
  attempts: attemptsView(details),
});

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
