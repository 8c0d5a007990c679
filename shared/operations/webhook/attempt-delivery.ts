import { testEventName } from '../../contracts/events.ts';
import type { MessageQueue } from '../../events/message-queue.ts';
import type { Deliveries } from '../../store/webhook/deliveries.ts';
import type { AttemptOutcome } from '../../webhooks/attempt-outcome.ts';
import { type Delivery, type DeliveryMessage, type FailedAttempt, resultOf } from '../../webhooks/delivery.ts';
import { signedRequest } from '../../webhooks/delivery-request.ts';
import type { Poster } from '../../webhooks/post.ts';
import { type NextStep, nextStep } from '../../webhooks/retry-or-park.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import type { Deps } from '../operation.ts';

export interface AttemptDeps extends Pick<Deps, 'now' | 'log'> {
  readonly deliveries: Pick<Deliveries, 'record'>;
  /** The queue of retries. */
  readonly slowQueue: Pick<MessageQueue<DeliveryMessage>, 'send'>;
  readonly poster: Pick<Poster, 'post'>;
  /** Returns a random number from 0 to below 1, which spreads retries and probes. */
  readonly randomShare: () => number;
}

/** The place of a delivery before an attempt: in the message of a queue, or parked in the table. */
type Place = 'queue' | 'table';

/** An attempt that was made and recorded. */
export interface Attempt {
  readonly message: DeliveryMessage;
  readonly endpointUrl: string;
  readonly at: Date;
  readonly outcome: AttemptOutcome;
  readonly next: NextStep | undefined;
  /** Whether an earlier attempt of the delivery failed. */
  readonly isRetry: boolean;
  /** The time of the next attempt of a delivery that is parked now. */
  readonly parkedUntil?: string | undefined;
}

/**
 * Makes one attempt of one delivery. Then records the result, and queues or parks the delivery for its next attempt. If
 * the process ends before that, the message is received again: at worst the endpoint receives the event twice.
 *
 * @param from the place of the delivery. After a failure, a parked delivery is parked again and never queued. So all
 * later attempts of the delivery are made by the runs for its endpoint, at their limited rate
 * @throws Error for failures of the platform only; a failure of the endpoint is an outcome
 */
export async function attemptDelivery(
  message: DeliveryMessage,
  { subscription, from }: { readonly subscription: Subscription; readonly from: Place },
  deps: AttemptDeps,
): Promise<Attempt> {
  const { poster, now, randomShare } = deps;
  const at = now();
  const { endpointUrl } = subscription;
  const outcome = await poster.post(signedRequest(message.event, subscription, at));
  const next = nextStepAfter(message, outcome, randomShare());
  const attempt = { message, endpointUrl, at, outcome, next, isRetry: message.attempt > 1 };
  logAttempt(attempt, deps);
  if (!next) return recordSuccess(attempt, from, deps);
  return recordFailure(attempt, { next, from }, deps);
}

function nextStepAfter(message: DeliveryMessage, outcome: AttemptOutcome, random: number): NextStep | undefined {
  if (outcome.result === 'delivered') return undefined;
  if (message.event.name === testEventName) return { kind: 'give-up' };
  const { retryAfterSeconds = 0 } = outcome;
  return nextStep({ attempt: message.attempt, retryAfterSeconds, random });
}

/**
 * Records a success. If the record cannot be written, the event is not sent again, because the endpoint has the event.
 * Only the record is missing then.
 */
async function recordSuccess(attempt: Attempt, from: Place, { deliveries, log }: AttemptDeps): Promise<Attempt> {
  const { message } = attempt;
  try {
    const delivery = deliveryAfter(attempt, { state: 'delivered' });
    await deliveries.record(message.subscription.subscriptionId, { delivery, wasParked: from === 'table' });
  } catch (error) {
    log.warn('delivery.not_recorded', { ...idsOf(message), error });
  }
  return attempt;
}

/**
 * Records the failure first. Then queues the next attempt, unless the delivery is parked in the table. The message is
 * deleted only after these two steps, so a process that ends between them loses no delivery.
 */
async function recordFailure(
  attempt: Attempt,
  { next, from }: { readonly next: NextStep; readonly from: Place },
  { deliveries, slowQueue, now }: AttemptDeps,
): Promise<Attempt> {
  const { message, endpointUrl, at, outcome } = attempt;
  const { event, subscription } = message;
  const failedAttempt: FailedAttempt = {
    ...{ eventId: event.id, attempt: message.attempt, endpointUrl },
    ...{ at: at.toISOString(), outcome },
  };
  if (next.kind === 'give-up') {
    const delivery = deliveryAfter(attempt, { state: 'failed' });
    await deliveries.record(subscription.subscriptionId, { delivery, failedAttempt, wasParked: from === 'table' });
    return attempt;
  }
  const nextAttemptAt = new Date(now().getTime() + next.delaySeconds * 1000).toISOString();
  if (next.kind === 'park' || from === 'table') {
    const parked = { event, attempt: message.attempt + 1, parkedAt: now().toISOString(), notBefore: nextAttemptAt };
    const delivery = deliveryAfter(attempt, { state: 'parked', nextAttemptAt });
    await deliveries.record(subscription.subscriptionId, { delivery, failedAttempt, parked });
    return { ...attempt, parkedUntil: nextAttemptAt };
  }
  const delivery = deliveryAfter(attempt, { state: 'retrying', nextAttemptAt });
  await deliveries.record(subscription.subscriptionId, { delivery, failedAttempt });
  await slowQueue.send([{ ...message, attempt: message.attempt + 1 }], next.delaySeconds);
  return attempt;
}

/** The delivery in the log after an attempt. */
function deliveryAfter({ message, at, outcome }: Attempt, change: Pick<Delivery, 'state' | 'nextAttemptAt'>): Delivery {
  return { event: message.event, attempts: message.attempt, at: at.toISOString(), ...resultOf(outcome), ...change };
}

/** The ids of a delivery for a line of the log. */
export const idsOf = ({ event, subscription }: DeliveryMessage) => ({
  requestId: event.requestId,
  eventId: event.id,
  subscriptionId: subscription.subscriptionId,
  organisationId: subscription.organisationId,
});

/** Logs one line for an attempt. The line omits the URL and the body, which may contain secrets of the endpoint. */
function logAttempt({ message, outcome, next }: Attempt, { log }: AttemptDeps): void {
  const { excerpt: _, ...logged } = outcome;
  const line = { ...idsOf(message), attempt: message.attempt, ...logged, next: next ?? { kind: 'none' } };
  log.info('delivery.attempted', line);
}
