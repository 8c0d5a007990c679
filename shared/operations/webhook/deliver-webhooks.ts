import { toSeconds, webhookMs } from '../../contracts/limits.ts';
import { Deliveries } from '../../store/webhook/deliveries.ts';
import { RecentSubscriptions } from '../../store/webhook/recent-subscriptions.ts';
import { Subscriptions } from '../../store/webhook/subscriptions.ts';
import { type DeliveryMessage, deliveryGroup } from '../../webhooks/delivery.ts';
import { laneOf, newHealth } from '../../webhooks/endpoint-health.ts';
import type { Pace } from '../../webhooks/pace.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { type Attempt, type AttemptDeps, attemptDelivery, idsOf } from './attempt-delivery.ts';
import { type EnsureDeps, ensureTimer, type ReportDeps, reportAttempts } from './update-health.ts';

export const deliverWebhooksStores = {
  subscriptions: Subscriptions,
  recent: RecentSubscriptions,
  deliveries: Deliveries,
};

export interface DeliverDeps extends AttemptDeps, ReportDeps, EnsureDeps {
  readonly subscriptions: Pick<Subscriptions, 'find' | 'writeHealth'>;
  readonly recent: Pick<RecentSubscriptions, 'find' | 'note'>;
  readonly deliveries: Pick<Deliveries, 'finalAmong' | 'record'>;
  /** The queue that the messages come from: `fast` for endpoints that reply well and quickly, `slow` for all others. */
  readonly lane: 'fast' | 'slow';
  readonly pace: Pace;
}

/**
 * Makes one attempt of each delivery, to all endpoints at the same time, and to one endpoint a few at a time. As soon
 * as a delivery fails at its first attempt, the other deliveries to that endpoint wait. So a dead or hanging endpoint
 * gets few requests, and other endpoints usually wait for it no longer than the deadline of one attempt.
 *
 * @returns one result for each message, in the same sequence: an error if the platform failed to handle the message;
 * otherwise undefined, also when the endpoint failed
 */
export async function deliverWebhooks(messages: readonly DeliveryMessage[], deps: DeliverDeps): Promise<unknown[]> {
  const final = await deps.deliveries.finalAmong(messages);
  const errors = new Map<DeliveryMessage, unknown>();
  const waiting = messages.filter((message) => !final.has(Deliveries.placeOf(message)));
  const untilMs = deps.now().getTime() + webhookMs.deliveryRun;
  const groups = [...Map.groupBy(waiting, deliveryGroup).values()];
  await Promise.all(groups.map((group) => deliverGroup({ messages: group, errors, untilMs }, deps)));
  return messages.map((message) => errors.get(message));
}

/** The messages of one endpoint, and the map that collects their failures. */
interface Group {
  readonly messages: readonly DeliveryMessage[];
  /** For each message that the platform failed to handle: the error. */
  readonly errors: Map<DeliveryMessage, unknown>;
  /** After this time the rest is queued again, so that one endpoint does not use up the time of the function. */
  readonly untilMs: number;
}

/**
 * Makes the attempts of a group, some at a time. Stops when a delivery fails at its first attempt, or when this run may
 * send no more to the endpoint.
 */
async function deliverGroup(group: Group, deps: DeliverDeps): Promise<void> {
  let waiting = group.messages;
  try {
    let subscription = await findSubscription(group, deps);
    while (waiting.length > 0 && (await mayContinue(waiting, { subscription, ...group }, deps)) && subscription) {
      const together = waiting.slice(0, deps.pace.of(subscription.subscriptionId));
      waiting = waiting.slice(together.length);
      const attempts = await attemptTogether(together, { subscription, ...group }, deps);
      subscription = await concludeAttempts(attempts, { subscription, ...group }, deps);
      if (waiting.length > 0 && attempts.some(isEvidence) && subscription?.health?.state === 'closed') {
        const delaySeconds = toSeconds(webhookMs.postponement * (1 + deps.randomShare()));
        return await deps.slowQueue.send(waiting, delaySeconds);
      }
    }
  } catch (error) {
    for (const message of waiting) group.errors.set(message, error);
  }
}

/**
 * Whether an attempt shows that the endpoint does not work. If a delivery has failed before, the event may be the
 * cause, so another failure shows little about the endpoint.
 */
const isEvidence = ({ outcome, isRetry }: Attempt): boolean => outcome.result === 'failed' && !isRetry;

async function findSubscription({ messages: [first] }: Group, { recent }: DeliverDeps) {
  return first && recent.find(first.subscription);
}

/**
 * Adds attempts to the health of the endpoint, and sets a timer for the deliveries that are parked now. If the timer
 * cannot be set, the messages of these deliveries fail, because without a timer nothing would send the deliveries.
 *
 * @returns the subscription with its new health
 */
async function concludeAttempts(
  attempts: readonly Attempt[],
  { subscription, errors }: Pick<Group, 'errors'> & { readonly subscription: Subscription },
  deps: DeliverDeps,
): Promise<Subscription | undefined> {
  const hasFailed = attempts.some(({ outcome }) => outcome.result === 'failed');
  deps.pace.note(subscription.subscriptionId, hasFailed ? 'failed' : 'delivered');
  const parked = attempts.flatMap(({ parkedUntil, message }) => (parkedUntil ? [{ parkedUntil, message }] : []));
  const [earliest] = parked.map(({ parkedUntil }) => parkedUntil).toSorted();
  try {
    const after = await reportAttempts(subscription, attempts, deps);
    if (after && earliest !== undefined) await ensureTimer(after, earliest, deps);
    return after;
  } catch (error) {
    for (const { message } of parked) errors.set(message, error);
    throw error;
  }
}

/**
 * Whether this run may send deliveries now. If not, they go into the slow queue for a later run, or into the table,
 * where they wait until the endpoint works. If their subscription was deleted, they are dropped.
 */
async function mayContinue(
  messages: readonly DeliveryMessage[],
  { subscription, untilMs }: Pick<Group, 'untilMs'> & { readonly subscription: Subscription | undefined },
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
  const isInLane = deps.lane === 'slow' || laneOf(subscription.health) === 'fast';
  if (isInLane && deps.now().getTime() <= untilMs) return true;
  await deps.slowQueue.send(messages);
  return false;
}

function attemptTogether(
  messages: readonly DeliveryMessage[],
  { subscription, errors }: Pick<Group, 'errors'> & { readonly subscription: Subscription },
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

/**
 * Parks deliveries to an endpoint that does not work. They are sent after a successful probe of the endpoint, or when
 * its owner enables it.
 */
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
