import * as z from 'zod/mini';
import { entityTypes, eventNames } from '../../contracts/events.ts';
import type { EndpointOverview } from '../../operations/webhook/get-endpoint.ts';
import type { ReplayProgress } from '../../operations/webhook/get-replay.ts';
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

export function healthView({ subscription, statistics, backlog }: EndpointOverview): z.input<typeof HealthView> {
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

/** A replay and its progress. */
export const ReplayView = z.object({
  replay_id: z.uuid(),
  state: z.enum(['running', 'done', 'cancelled']),
  selection: z.enum(['undelivered', 'all']),
  since: datetime,
  until: datetime,
  replayed_deliveries: count,
  created_date: datetime,
  last_updated_date: datetime,
});

export function replayView(replay: ReplayProgress): z.input<typeof ReplayView> {
  const { replayId, state, scope, since, until, replayed, createdAt, updatedAt } = replay;
  return {
    ...{ replay_id: replayId, state, selection: scope === 'failed' ? 'undelivered' : 'all', since, until },
    ...{ replayed_deliveries: replayed, created_date: createdAt, last_updated_date: updatedAt },
  };
}
