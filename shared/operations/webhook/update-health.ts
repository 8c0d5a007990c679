import { type EndpointDue, endpointDueName } from '../../contracts/events.ts';
import { maximumAttempts, toSeconds, webhookMs } from '../../contracts/limits.ts';
import type { BusClock } from '../../events/bus-clock.ts';
import type { MessageQueue } from '../../events/message-queue.ts';
import type { RecentSubscriptions } from '../../store/webhook/recent-subscriptions.ts';
import { HealthConflictError, type Subscriptions } from '../../store/webhook/subscriptions.ts';
import {
  afterAttempt,
  type EndpointHealth,
  type HealthChange,
  laneOf,
  newHealth,
} from '../../webhooks/endpoint-health.ts';
import type { Subscription, SubscriptionRef } from '../../webhooks/subscription.ts';
import { type Conflict, type Deps, decideAndWrite } from '../operation.ts';
import type { Attempt } from './attempt-delivery.ts';

export interface TimerDeps extends Pick<Deps, 'now' | 'nextUuid'> {
  readonly endpointQueue: Pick<MessageQueue<EndpointDue>, 'send'>;
  readonly clock: Pick<BusClock, 'set'>;
}

type Endpoint = Pick<SubscriptionRef, 'organisationId' | 'subscriptionId'>;

/**
 * Sets the timer that starts the work of an endpoint: a delayed message, or a schedule if the delay is too long for a
 * queue. Set the timer before you write `resumeAt`. Then a crash in between leaves at worst a timer without work, never
 * work without a timer.
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
  // Each point in time has a schedule of its own. So a late call with an outdated decision does not move another timer.
  const name = `webhook-${subscriptionId}-${toSeconds(Date.parse(at))}`;
  await clock.set({ name, at: new Date(at), detailType: endpointDueName, detail: due });
}

export interface EnsureDeps extends TimerDeps {
  readonly table: Pick<Deps['table'], 'pause'>;
  readonly subscriptions: Pick<Subscriptions, 'find' | 'writeHealth'>;
}

/**
 * Ensures that an endpoint for which a delivery was just parked has a timer. Reads the health after the delivery was
 * written: another run may have sent everything to the endpoint in the meantime.
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
 * The health with a timer that is early enough for a delivery that is due at `at`. A disabled endpoint needs no timer.
 * An endpoint in the state `open` does not work; its timer is for its next probe. A run in progress may have missed the
 * delivery; `waitingUntil` makes the next run start in time.
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

/**
 * Returns the time of the next probe of an endpoint in the state `open`. A delivery to this endpoint was just parked.
 * If the last probe was a retry, the parked delivery is a better probe. Then the time is at most `webhookMs.freshProbe`
 * from now.
 */
function probeBy({ resumeAt, isProbedByRetry }: EndpointHealth, now: Date): string {
  const soon = new Date(now.getTime() + webhookMs.freshProbe).toISOString();
  if (resumeAt === undefined) return now.toISOString();
  return isProbedByRetry && soon < resumeAt ? soon : resumeAt;
}

export interface ReportDeps extends TimerDeps, Pick<Deps, 'log'> {
  readonly table: Pick<Deps['table'], 'pause'>;
  readonly subscriptions: Pick<Subscriptions, 'find' | 'writeHealth'>;
  readonly recent: Pick<RecentSubscriptions, 'note'>;
  readonly randomShare: () => number;
}

/**
 * Adds attempts to the health of their endpoint. Writes nothing while a healthy endpoint stays healthy. A repeated or
 * lost call does no harm: the next attempts show the same health.
 *
 * @param subscription as the attempts used it
 * @returns the subscription with its health after the attempts; undefined when it was deleted
 */
export async function reportAttempts(
  subscription: Subscription,
  attempts: readonly Attempt[],
  deps: ReportDeps,
): Promise<Subscription | undefined> {
  const random = deps.randomShare();
  if (!isChanged(subscription, changeAfter(subscription, attempts, random))) return subscription;
  try {
    return await decideAndWrite(
      {
        subject: `the health of endpoint ${subscription.subscriptionId}`,
        load: async (conflict?: Conflict<ReportState>): Promise<ReportState> => ({
          fresh: await deps.subscriptions.find(subscription),
          round: conflict?.round ?? 0,
        }),
        write: (state) => writeChange(state, { attempts, random }, deps),
        conflicts: [HealthConflictError],
      },
      deps,
    );
  } catch (error) {
    deps.log.warn('endpoint.not_updated', { subscriptionId: subscription.subscriptionId, error });
    return { ...subscription, health: changeAfter(subscription, attempts, random).health };
  }
}

interface ReportState {
  readonly fresh: Subscription | undefined;
  /** Conflicts so far. */
  readonly round: number;
}

async function writeChange(
  { fresh, round }: ReportState,
  { attempts, random }: { readonly attempts: readonly Attempt[]; readonly random: number },
  deps: ReportDeps,
): Promise<Subscription | undefined> {
  if (!fresh) return undefined;
  const current = attempts.filter(({ endpointUrl }) => endpointUrl === fresh.endpointUrl);
  const change = changeAfter(fresh, current, random);
  // If many runs write at the same time, the writes of a few show how the endpoint replies. So this run gives up a
  // minor change after some conflicts.
  if (!isChanged(fresh, change) || (round >= maximumAttempts.minorHealth && isMinor(fresh, change))) {
    deps.recent.note(fresh);
    return fresh;
  }
  const { resumeAt } = change.health;
  if (resumeAt !== undefined && resumeAt !== fresh.health?.resumeAt) await setTimer(fresh, resumeAt, deps);
  const after = await deps.subscriptions.writeHealth(fresh, change, { now: deps.now(), nextUuid: deps.nextUuid });
  deps.recent.note(after);
  return after;
}

function changeAfter({ health = newHealth }: Subscription, attempts: readonly Attempt[], random: number): HealthChange {
  return attempts.reduce<HealthChange>(
    (change, { outcome, at, isRetry }) => {
      const next = afterAttempt(change.health, { outcome, at, random, isRetry });
      return { health: next.health, events: [...change.events, ...next.events] };
    },
    { health, events: [] },
  );
}

/**
 * Whether a change affects only the list of the last attempts: the state, the queue and the start of the failures stay
 * the same.
 */
const isMinor = ({ health = newHealth }: Subscription, { health: after }: HealthChange) =>
  health.state === after.state && laneOf(health) === laneOf(after) && health.failingSince === after.failingSince;

const isChanged = ({ health = newHealth }: Subscription, change: HealthChange) => change.health !== health;
