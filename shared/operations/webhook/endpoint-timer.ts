import { type EndpointDue, endpointDueName } from '../../contracts/events.ts';
import { toSeconds, webhookMs } from '../../contracts/limits.ts';
import type { BusClock } from '../../events/bus-clock.ts';
import type { MessageQueue } from '../../events/message-queue.ts';
import { HealthConflictError, type Subscriptions } from '../../store/webhook/subscriptions.ts';
import { type EndpointHealth, newHealth } from '../../webhooks/endpoint-health.ts';
import type { SubscriptionRef } from '../../webhooks/subscription.ts';
import { type Deps, decideAndWrite } from '../operation.ts';

export interface TimerDeps extends Pick<Deps, 'now' | 'nextUuid'> {
  readonly endpointQueue: Pick<MessageQueue<EndpointDue>, 'send'>;
  readonly clock: Pick<BusClock, 'set'>;
}

type Endpoint = Pick<SubscriptionRef, 'organisationId' | 'subscriptionId'>;

/**
 * Makes the work of an endpoint due at a time: by a message with a delay, or by a schedule when the delay is too long
 * for a queue. Set the timer before you write `resumeAt`: then a process that ends in between leaves a timer without
 * work, which has no effect, and never work without a timer.
 */
export async function setTimer(
  { organisationId, subscriptionId }: Endpoint,
  at: string,
  deps: TimerDeps,
): Promise<void> {
  const { endpointQueue, clock, now, nextUuid } = deps;
  const due: EndpointDue = {
    ...{ id: nextUuid(), name: endpointDueName, entityId: subscriptionId, organisationId },
    occurredAt: now().toISOString(),
  };
  const delayMs = Math.max(0, Date.parse(at) - now().getTime());
  if (delayMs <= webhookMs.messageDelay) return endpointQueue.send([due], Math.ceil(delayMs / 1000));
  // Each time has a schedule of its own. A later call with an older decision does not move another timer.
  const name = `webhook-${subscriptionId}-${toSeconds(Date.parse(at))}`;
  await clock.set({ name, at: new Date(at), detailType: endpointDueName, detail: due });
}

export interface EnsureDeps extends TimerDeps {
  readonly table: Pick<Deps['table'], 'pause'>;
  readonly subscriptions: Pick<Subscriptions, 'find' | 'writeHealth'>;
}

/**
 * Ensures that an endpoint for which a delivery was just parked has a timer. Reads the health after the delivery was
 * written: another run may have emptied the endpoint in the meantime.
 *
 * @param at the time of the delivery's next attempt
 */
export async function ensureTimer(ref: SubscriptionRef, at: string, deps: EnsureDeps): Promise<void> {
  await decideAndWrite(
    {
      subject: `the timer of endpoint ${ref.subscriptionId}`,
      load: () => deps.subscriptions.find(ref),
      write: async (subscription) => {
        if (!subscription) return;
        const health = subscription.health ?? newHealth;
        const next = withTimer(health, at, deps.now());
        if (next === health) return;
        if (next.resumeAt && next.resumeAt !== health.resumeAt) await setTimer(ref, next.resumeAt, deps);
        const context = { now: deps.now(), nextUuid: deps.nextUuid };
        await deps.subscriptions.writeHealth(subscription, { health: next, events: [] }, context);
      },
      conflicts: [HealthConflictError],
    },
    deps,
  );
}

/**
 * The health with a timer that will reach a delivery which is due at `at`. A disabled endpoint needs none. The timer of an
 * open endpoint is its next probe. A run that is in progress may already have passed the delivery, so it receives the
 * time.
 */
function withTimer(health: EndpointHealth, at: string, now: Date): EndpointHealth {
  const { state, resumeAt, waitingUntil, leaseUntil, drainedTo } = health;
  if (state === 'disabled') return health;
  const mayHavePassed = leaseUntil !== undefined || drainedTo !== undefined;
  const isEarlier = mayHavePassed && (waitingUntil === undefined || at < waitingUntil);
  const needed = state === 'open' ? probeBy(health, now) : at;
  const isMoved = resumeAt === undefined || (needed < resumeAt && (state === 'open' || drainedTo === undefined));
  if (!isEarlier && !isMoved) return health;
  return { ...health, ...(isEarlier && { waitingUntil: at }), ...(isMoved && { resumeAt: needed }) };
}

/** If the last probe was a delivery that had failed before, the new delivery is a better probe, and need not wait long. */
function probeBy({ resumeAt, isProbedByRetry }: EndpointHealth, now: Date): string {
  const soon = new Date(now.getTime() + webhookMs.freshProbe).toISOString();
  if (resumeAt === undefined) return now.toISOString();
  return isProbedByRetry && soon < resumeAt ? soon : resumeAt;
}
