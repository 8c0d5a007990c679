import * as z from 'zod/mini';
import { describeCodes, described } from '../../contracts/described.ts';
import { DeliverableName, entityTypes, eventEntities, eventNames } from '../../contracts/events.ts';
import { duration, maximumBytes, maximumCount, webhookMs } from '../../contracts/limits.ts';
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
  subscription_id: described('UUID of the subscription.', z.uuid()),
  endpoint: described('The URL that receives the webhooks; https.', z.string()),
  event_name: described(
    'Without it, all events of the entity type. Without both, all events.',
    z.nullable(z.enum(eventNames)),
  ),
  entity_type: described(`${describeCodes(entityTypes)}.`, z.nullable(z.enum(entityTypes))),
  state: described(
    'State of its endpoint: closed (works), open (fails; deliveries wait) or disabled.',
    EndpointHealth.shape.state,
  ),
  salt_activates_at: described(
    'While the salt is being replaced: the time from which on the new one is the only one.',
    z.nullable(datetime),
  ),
  created_date: described('Time at which the subscription was created.', datetime),
  last_updated_date: described('Time of the last change of the subscription.', datetime),
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
  state: described(
    'closed: deliveries are sent. open: the endpoint failed; deliveries wait, and probes are sent. disabled: deliveries wait until the endpoint is enabled.',
    EndpointHealth.shape.state,
  ),
  disabled_reason: described(
    `failing: nothing but failures for ${duration(webhookMs.disabledAfter)}. gone: the endpoint replied 410 twice.`,
    z.nullable(z.enum(['failing', 'gone'])),
  ),
  failing_since: described('The first failure after the last success.', z.nullable(datetime)),
  next_attempt_at: described(
    'Time of the next probe of the endpoint; null when none is planned.',
    z.nullable(datetime),
  ),
  lane: described('fast while the last replies were quick successes; else slow.', z.enum(['fast', 'slow'])),
  attempted_deliveries: described(
    `The last deliveries, at most ${maximumCount.pageItems}, that the figures are about.`,
    count,
  ),
  success_rate: described('The share of the last deliveries that was delivered, from 0 to 1.', z.nullable(z.number())),
  p50_ms: described('Half of the last attempts took at most this long, in milliseconds.', z.nullable(z.number())),
  p95_ms: described('95 of 100 of the last attempts took at most this long, in milliseconds.', z.nullable(z.number())),
  backlog: described(
    'The deliveries that wait until the endpoint works. has_more: there are more than were counted.',
    z.object({
      deliveries: described('Number of waiting deliveries that were counted.', count),
      has_more: described('True if more deliveries wait than were counted.', z.boolean()),
      oldest_event_at: described('Time of the oldest waiting event; null when none waits.', z.nullable(datetime)),
    }),
  ),
  replay_id: described('A replay; in the health of an endpoint, the one that is in progress.', z.nullable(z.uuid())),
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
  replay_id: described('A replay; in the health of an endpoint, the one that is in progress.', z.uuid()),
  state: described('running or done.', z.enum(['running', 'done'])),
  selection: described(
    'undelivered: deliveries whose attempts all failed. all: the delivered ones too.',
    z.enum(['undelivered', 'all']),
  ),
  since: described('Events from this time on.', datetime),
  until: described('Events before this time; by default and at most the present.', datetime),
  replayed_deliveries: described('Deliveries that the replay has queued so far.', count),
  created_date: described('Time at which the replay was started.', datetime),
  last_updated_date: described('Time of the last progress of the replay.', datetime),
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
  event_id: described('UUID of the event: the same in every retry and replay.', z.string()),
  event: described('Name of the event.', DeliverableName),
  entity: described(`Type of the entity: ${describeCodes(entityTypes)}.`, z.enum(entityTypes)),
  entity_id: described('Id of the entity, as text.', z.string()),
  occurred_at: described('Time of the event.', datetime),
  state: described(
    'The state of an endpoint, a delivery or a replay. In a connect flow: returned unchanged with the code.',
    z.enum(deliveryStates),
  ),
  attempts_made: described(
    'Attempts so far. 0 when it waits for an endpoint that does not work, or for a replay.',
    z.int(),
  ),
  response_status: described(
    'The HTTP status of the reply of the endpoint; null without a reply.',
    z.nullable(z.int()),
  ),
  error_class: described('Why the attempt did not deliver; null for a success.', z.nullable(ErrorClass)),
  total_ms: described(
    'Duration of the last attempt, in milliseconds; null before the first one.',
    z.nullable(z.number()),
  ),
  address: described('The IP address that the attempt connected to.', z.nullable(z.string())),
  next_attempt_at: described('The earliest time of the next attempt; null when none is planned.', z.nullable(datetime)),
  last_updated_date: described('Time of the last change of status.', datetime),
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
  attempt: described('Number of the attempt, from 1. After a replay, the numbers begin again.', z.int()),
  at: described('Time of the attempt.', datetime),
  result: described('delivered: the endpoint replied 2xx in time. Otherwise failed.', z.enum(['delivered', 'failed'])),
  response_status: described(
    'The HTTP status of the reply of the endpoint; null without a reply.',
    z.nullable(z.int()),
  ),
  error_class: described('Why the attempt did not deliver; null for a success.', z.nullable(ErrorClass)),
  total_ms: described('Duration of the attempt, in milliseconds.', z.nullable(z.number())),
  dns_ms: described('Time to resolve the host, in milliseconds; null for a reused connection.', z.nullable(z.number())),
  connect_ms: described(
    'Time until the connection was open, in milliseconds; null for a reused connection.',
    z.nullable(z.number()),
  ),
  tls_ms: described('Time of the TLS handshake, in milliseconds; null without one.', z.nullable(z.number())),
  first_byte_ms: described(
    'Time from the open connection to the first byte of the reply, in milliseconds.',
    z.nullable(z.number()),
  ),
  address: described('The IP address that the attempt connected to.', z.nullable(z.string())),
  endpoint: described('The URL that receives the webhooks; https.', z.nullable(z.string())),
  response_excerpt: described(
    `The beginning of the reply of the endpoint, at most ${maximumBytes.webhookReplyExcerpt} bytes.`,
    z.nullable(z.string()),
  ),
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
