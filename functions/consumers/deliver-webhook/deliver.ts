import type { Log } from '../../../shared/operations/deps.ts';
import type { Deliveries } from '../../../shared/store/webhook/deliveries.ts';
import type { Subscriptions } from '../../../shared/store/webhook/subscriptions.ts';
import { type NextStep, nextStep } from '../../../shared/webhooks/backoff.ts';
import type { DeliverQueue } from '../../../shared/webhooks/deliver-queue.ts';
import type { DeliveryMessage } from '../../../shared/webhooks/delivery-message.ts';
import type { Poster } from '../../../shared/webhooks/post.ts';
import type { PostOutcome } from '../../../shared/webhooks/post-outcome.ts';
import { signedDelivery } from '../../../shared/webhooks/signed-delivery.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';

/** What deliveries are made with. */
export interface Delivering {
  readonly subscriptions: Pick<Subscriptions, 'find'>;
  readonly deliveries: Pick<Deliveries, 'findSettled' | 'recordSettled' | 'recordFailed' | 'park'>;
  readonly queue: Pick<DeliverQueue, 'send'>;
  readonly poster: Pick<Poster, 'post'>;
  readonly now: () => Date;
  /** 0 to 1, below 1. */
  readonly random: () => number;
}

/** One attempt that was made. */
interface Made {
  readonly message: DeliveryMessage;
  readonly endpointUrl: string;
  readonly at: Date;
  readonly outcome: PostOutcome;
}

/**
 * Makes one attempt of one delivery. Resolved, the message may be acknowledged: the delivery is settled,
 * or what goes on with it is queued or parked. Ended at any point instead, the message comes again and
 * at worst the endpoint hears the event twice.
 *
 * @throws only for faults of our own; an endpoint's failure is an outcome
 */
export async function deliver(message: DeliveryMessage, delivering: Delivering, log: Log): Promise<void> {
  const { event, subscription: ref, attempt } = message;
  const [subscription, settled] = await Promise.all([
    delivering.subscriptions.find(ref),
    delivering.deliveries.findSettled(ref, event.id),
  ]);
  if (settled) return;
  if (!subscription) return drop(message, delivering, log);

  const made = await attemptNow(message, subscription, delivering);
  const { outcome, endpointUrl } = made;
  const next = outcome.result === 'failed' ? nextStepAfter(attempt, outcome, delivering) : undefined;
  logAttempt(made, next, log);

  if (next) return goOn(made, next, delivering);
  const at = made.at.toISOString();
  await delivering.deliveries.recordSettled({
    state: 'delivered',
    event,
    subscription: ref,
    attempt,
    endpointUrl,
    at,
    outcome,
  });
}

async function attemptNow(
  message: DeliveryMessage,
  subscription: Subscription,
  { poster, now }: Delivering,
): Promise<Made> {
  const at = now();
  const outcome = await poster.post(signedDelivery(message.event, subscription, at));
  return { message, endpointUrl: subscription.endpointUrl, at, outcome };
}

function nextStepAfter(attempt: number, outcome: PostOutcome & { result: 'failed' }, { random }: Delivering): NextStep {
  return nextStep({ attempt, retryAfterSeconds: outcome.retryAfterSeconds ?? 0, random: random() });
}

/** Recorded first and acknowledged last, so that whatever ends the process in between loses nothing. */
async function goOn({ message, endpointUrl, at, outcome }: Made, next: NextStep, delivering: Delivering) {
  const { event, subscription, attempt } = message;
  const following = { ...message, attempt: attempt + 1 };
  const nowMs = delivering.now().getTime();
  const inSeconds = (seconds: number) => new Date(nowMs + seconds * 1000).toISOString();

  await delivering.deliveries.recordFailed({
    event,
    subscription,
    attempt,
    endpointUrl,
    at: at.toISOString(),
    outcome,
    nextAttemptAt: next.kind === 'retry' ? inSeconds(next.delaySeconds) : null,
  });
  if (next.kind === 'retry') return delivering.queue.send([following], next.delaySeconds);
  await delivering.deliveries.park({
    message: following,
    parkedAt: inSeconds(0),
    notBefore: inSeconds(next.notBeforeSeconds),
  });
}

/** Nobody is there any more to tell. */
async function drop({ event, subscription }: DeliveryMessage, { deliveries, now }: Delivering, log: Log) {
  log.info('delivery.dropped', { eventId: event.id, subscriptionId: subscription.subscriptionId });
  const at = now().toISOString();
  await deliveries.recordSettled({ state: 'dropped', reason: 'unsubscribed', event, subscription, at });
}

/** One line for each attempt; neither URL nor body, which may hold secrets of the endpoint's. */
function logAttempt({ message, outcome }: Made, next: NextStep | undefined, log: Log): void {
  const { excerpt: _, ...told } = outcome;
  log.info('delivery.attempted', {
    eventId: message.event.id,
    subscriptionId: message.subscription.subscriptionId,
    organisationId: message.subscription.organisationId,
    attempt: message.attempt,
    ...told,
    next: next ?? { kind: 'none' },
  });
}
