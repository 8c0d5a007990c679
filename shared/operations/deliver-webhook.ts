import type { MessageQueue } from '../events/message-queue.ts';
import { Deliveries } from '../store/webhook/deliveries.ts';
import { Subscriptions } from '../store/webhook/subscriptions.ts';
import type { AttemptOutcome } from '../webhooks/attempt-outcome.ts';
import { signedRequest } from '../webhooks/delivery-request.ts';
import type { Poster } from '../webhooks/post.ts';
import { type NextStep, nextStep } from '../webhooks/retry-or-park.ts';
import type { DeliveryMessage, Subscription } from '../webhooks/subscription.ts';
import type { Deps } from './operation.ts';

export const deliverWebhookStores = { subscriptions: Subscriptions, deliveries: Deliveries };

export interface DeliverDeps extends Pick<Deps, 'now' | 'log'> {
  readonly subscriptions: Pick<Subscriptions, 'find'>;
  readonly deliveries: Pick<Deliveries, 'findFinalized' | 'recordFinalized' | 'recordFailed' | 'park'>;
  readonly queue: Pick<MessageQueue<DeliveryMessage>, 'send'>;
  readonly poster: Pick<Poster, 'post'>;
  /** Returns a random number from 0 to below 1, which spreads the retries. */
  readonly randomShare: () => number;
}

/** An attempt that was made. */
interface Attempt {
  readonly message: DeliveryMessage;
  readonly endpointUrl: string;
  readonly at: Date;
  readonly outcome: AttemptOutcome;
}

/**
 * Makes one attempt of one delivery. Then finalizes the delivery, queues its next attempt, or parks the delivery. If
 * the process ends before that, the queue delivers the message again: at worst the endpoint receives the event twice.
 *
 * @throws Error for failures of the platform only; a failure of the endpoint is an outcome
 */
export async function deliverWebhook(message: DeliveryMessage, deps: DeliverDeps): Promise<void> {
  const { event, subscription: ref } = message;
  const [subscription, finalized] = await Promise.all([
    deps.subscriptions.find(ref),
    deps.deliveries.findFinalized(ref, event.id),
  ]);
  if (finalized) return;
  if (!subscription) return drop(message, deps);

  const attempt = await makeAttempt(message, subscription, deps);
  const next = nextStepAfter(attempt, deps);
  logAttempt(attempt, next, deps);
  return next ? recordFailure(attempt, next, deps) : recordSuccess(attempt, deps);
}

/** Drops a delivery whose subscription was deleted. */
function drop({ event, subscription }: DeliveryMessage, { deliveries, now, log }: DeliverDeps): Promise<void> {
  log.info('delivery.dropped', { eventId: event.id, subscriptionId: subscription.subscriptionId });
  const at = now().toISOString();
  return deliveries.recordFinalized({ state: 'dropped', reason: 'unsubscribed', event, subscription, at });
}

async function makeAttempt(
  message: DeliveryMessage,
  subscription: Subscription,
  { poster, now }: DeliverDeps,
): Promise<Attempt> {
  const at = now();
  const outcome = await poster.post(signedRequest(message.event, subscription, at));
  return { message, endpointUrl: subscription.endpointUrl, at, outcome };
}

function nextStepAfter({ message, outcome }: Attempt, { randomShare }: DeliverDeps): NextStep | undefined {
  if (outcome.result === 'delivered') return undefined;
  const { retryAfterSeconds = 0 } = outcome;
  return nextStep({ attempt: message.attempt, retryAfterSeconds, random: randomShare() });
}

/** The record of an attempt. */
function recordOf({ message, endpointUrl, at, outcome }: Attempt) {
  return { ...message, endpointUrl, at: at.toISOString(), outcome };
}

function recordSuccess(attempt: Attempt, { deliveries }: DeliverDeps): Promise<void> {
  return deliveries.recordFinalized({ state: 'delivered', ...recordOf(attempt) });
}

/**
 * Records the failure first, then takes the next step. The message is deleted after both, so a process that ends in
 * between loses no delivery.
 */
async function recordFailure(attempt: Attempt, next: NextStep, { deliveries, queue, now }: DeliverDeps): Promise<void> {
  const following = { ...attempt.message, attempt: attempt.message.attempt + 1 };
  const nowMs = now().getTime();
  const inSeconds = (seconds: number) => new Date(nowMs + seconds * 1000).toISOString();

  const nextAttemptAt = next.kind === 'retry' ? inSeconds(next.delaySeconds) : null;
  await deliveries.recordFailed({ ...recordOf(attempt), nextAttemptAt });
  if (next.kind === 'retry') return queue.send([following], next.delaySeconds);
  await deliveries.park({
    message: following,
    parkedAt: inSeconds(0),
    notBefore: inSeconds(next.notBeforeSeconds),
  });
}

/** One line per attempt, without URL and body: they may contain secrets of the endpoint. */
function logAttempt({ message, outcome }: Attempt, next: NextStep | undefined, { log }: DeliverDeps): void {
  const { excerpt: _, ...logged } = outcome;
  log.info('delivery.attempted', {
    eventId: message.event.id,
    subscriptionId: message.subscription.subscriptionId,
    organisationId: message.subscription.organisationId,
    attempt: message.attempt,
    ...logged,
    next: next ?? { kind: 'none' },
  });
}
