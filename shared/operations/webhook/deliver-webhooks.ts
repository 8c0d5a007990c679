import { toSeconds, webhookMs } from '../../contracts/limits.ts';
import { Deliveries } from '../../store/webhook/deliveries.ts';
import { RecentSubscriptions, Subscriptions } from '../../store/webhook/subscriptions.ts';
import { type DeliveryMessage, deliveryGroup } from '../../webhooks/delivery.ts';
import { laneOf, newHealth } from '../../webhooks/endpoint-health.ts';
import type { Pace } from '../../webhooks/pace.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { type AttemptDeps, attemptDelivery, idsOf } from './attempt-delivery.ts';
import { type EnsureDeps, ensureTimer } from './endpoint-timer.ts';
import { type ReportDeps, reportAttempts } from './report-attempts.ts';

export const deliverWebhooksStores = {
  subscriptions: Subscriptions,
  recent: RecentSubscriptions,
  deliveries: Deliveries,
};

export interface DeliverDeps extends AttemptDeps, ReportDeps, EnsureDeps {
  readonly subscriptions: Pick<Subscriptions, 'find' | 'writeHealth'>;
  readonly recent: Pick<RecentSubscriptions, 'find' | 'note'>;
  readonly deliveries: Pick<Deliveries, 'finalAmong' | 'record'>;
  /** The lane of the queue that the messages come from. */
  readonly lane: 'fast' | 'slow';
  readonly pace: Pace;
}

/**
 * Makes one attempt of each delivery, to all endpoints at the same time, and to one endpoint a few at a time. As soon as
 * one attempt fails, the other deliveries to that endpoint wait. So a dead or hanging endpoint gets few requests and
 * holds the others of a batch for one deadline at most.
 *
 * @returns for each message, in their order, the failure of the platform that prevents the attempt or its record;
 *   undefined when the message is handled, also when its endpoint failed
 */
export async function deliverWebhooks(messages: readonly DeliveryMessage[], deps: DeliverDeps): Promise<unknown[]> {
  const final = await deps.deliveries.finalAmong(messages);
  const errors = new Map<DeliveryMessage, unknown>();
  const waiting = messages.filter((message) => !Deliveries.isAmong(final, message));
  const groups = [...Map.groupBy(waiting, deliveryGroup).values()];
  await Promise.all(groups.map((group) => deliverGroup(group, errors, deps)));
  return messages.map((message) => errors.get(message));
}

/** The messages of one endpoint. Those that fail are added to `errors`. */
async function deliverGroup(
  group: readonly DeliveryMessage[],
  errors: Map<DeliveryMessage, unknown>,
  deps: DeliverDeps,
): Promise<void> {
  const [first] = group;
  const startedMs = deps.now().getTime();
  let waiting = group;
  let parkedNow: readonly DeliveryMessage[] = [];
  try {
    let subscription = first && (await deps.recent.find(first.subscription));
    while (waiting.length > 0) {
      if (!(await isOpenFor(waiting, subscription, deps)) || !subscription) return;
      if (deps.now().getTime() - startedMs > webhookMs.deliveryRun) return await deps.slowQueue.send(waiting);
      const together = waiting.slice(0, deps.pace.of(subscription.subscriptionId));
      const attempts = await attemptTogether(together, { subscription, errors }, deps);
      waiting = waiting.slice(together.length);
      parkedNow = attempts.flatMap(({ parkedUntil: at, message }) => (at === undefined ? [] : [message]));
      const hasFailed = attempts.some(({ outcome, isRetry }) => outcome.result === 'failed' && !isRetry);
      deps.pace.note(subscription.subscriptionId, hasFailed ? 'failed' : 'delivered');
      subscription = await reportAttempts(subscription, attempts, deps);
      const parkedUntil = attempts.flatMap(({ parkedUntil: at }) => at ?? []).toSorted()[0];
      if (subscription && parkedUntil !== undefined) await ensureTimer(subscription, parkedUntil, deps);
      parkedNow = [];
      if (hasFailed && waiting.length > 0 && subscription?.health?.state === 'closed') {
        const delaySeconds = toSeconds(webhookMs.postponement * (1 + deps.randomShare()));
        return await deps.slowQueue.send(waiting, delaySeconds);
      }
    }
  } catch (error) {
    for (const message of [...waiting, ...parkedNow]) errors.set(message, error);
  }
}

/**
 * Whether deliveries may be sent now, in this lane. If not, moves them: out of the fast lane, or into the table until
 * the endpoint works.
 */
async function isOpenFor(
  messages: readonly DeliveryMessage[],
  subscription: Subscription | undefined,
  deps: DeliverDeps,
): Promise<boolean> {
  if (!subscription) {
    await dropDeliveries(messages, deps);
    return false;
  }
  const { state } = subscription.health ?? newHealth;
  if (state !== 'closed') {
    await parkDeliveries(messages, subscription, deps);
    return false;
  }
  if (deps.lane === 'slow' || laneOf(subscription.health) === 'fast') return true;
  await deps.slowQueue.send(messages);
  return false;
}

function attemptTogether(
  messages: readonly DeliveryMessage[],
  { subscription, errors }: { readonly subscription: Subscription; readonly errors: Map<DeliveryMessage, unknown> },
  deps: DeliverDeps,
) {
  const attempts = messages.map(async (message) => {
    try {
      return [await attemptDelivery(message, { subscription, from: 'queue' }, deps)];
    } catch (error) {
      errors.set(message, error);
      return [];
    }
  });
  return Promise.all(attempts).then((made) => made.flat());
}

/** Drops deliveries whose subscription was deleted. */
async function dropDeliveries(messages: readonly DeliveryMessage[], { deliveries, now, log }: DeliverDeps) {
  const at = now().toISOString();
  for (const message of messages) {
    log.info('delivery.dropped', idsOf(message));
    const delivery = { event: message.event, state: 'dropped', attempts: message.attempt - 1, at } as const;
    await deliveries.record(message.subscription.subscriptionId, { delivery });
  }
}

/** Parks deliveries to an endpoint that does not work. Its next probe, or its owner, sends them. */
async function parkDeliveries(messages: readonly DeliveryMessage[], subscription: Subscription, deps: DeliverDeps) {
  const at = deps.now().toISOString();
  const records = messages.map(({ event, attempt }) => ({
    delivery: { event, state: 'parked', attempts: attempt - 1, at, nextAttemptAt: at } as const,
    parked: { event, attempt, parkedAt: at, notBefore: at },
  }));
  await deps.deliveries.record(subscription.subscriptionId, ...records);
  deps.log.info('deliveries.parked', { subscriptionId: subscription.subscriptionId, count: messages.length });
  await ensureTimer(subscription, at, deps);
}
