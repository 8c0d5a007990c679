import { type EndpointDue, testEventName } from '../../contracts/events.ts';
import { maximumCount, webhookMs } from '../../contracts/limits.ts';
import { Deliveries } from '../../store/webhook/deliveries.ts';
import { RecentSubscriptions } from '../../store/webhook/recent-subscriptions.ts';
import { Replays } from '../../store/webhook/replays.ts';
import { HealthConflictError, Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { DeliveryMessage, ParkedDelivery } from '../../webhooks/delivery.ts';
import { type EndpointHealth, newHealth } from '../../webhooks/endpoint-health.ts';
import type { Pace } from '../../webhooks/pace.ts';
import { afterRun, type Run } from '../../webhooks/resume-run.ts';
import { type Subscription, SubscriptionRef } from '../../webhooks/subscription.ts';
import { type Deps, decideAndWrite } from '../operation.ts';
import { advanceReplay, type ReplayDeps } from './advance-replay.ts';
import { type Attempt, type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import { setTimer, type TimerDeps } from './update-health.ts';

export const resumeEndpointStores = {
  subscriptions: Subscriptions,
  recent: RecentSubscriptions,
  deliveries: Deliveries,
  replays: Replays,
};

export interface ResumeDeps extends RunDeps {
  readonly subscriptions: Pick<Subscriptions, 'findById' | 'writeHealth'>;
}

/** The right of one run to send to an endpoint for a while. */
interface Turn {
  readonly subscription: Subscription;
  /** Identifies the turn. Another turn begins only after this time. */
  readonly leaseUntil: string;
}

/**
 * Does the due work of an endpoint: probes it when it does not work, or sends some of its parked deliveries, the oldest
 * first. Then sets the timer for the next run. Only one run at a time works for an endpoint. A run that dies leaves its
 * message in the queue; the next run continues after the lease.
 */
export async function resumeEndpoint(due: EndpointDue, deps: ResumeDeps): Promise<void> {
  const turn = await takeTurn(due, deps);
  if (!turn) return;
  const run = await runEndpoint(turn.subscription, deps);
  await endTurn(turn, run, deps);
}

function takeTurn(due: EndpointDue, deps: ResumeDeps): Promise<Turn | undefined> {
  return decideAndWrite(
    {
      subject: `the turn for endpoint ${due.entityId}`,
      load: () => deps.subscriptions.findById(due.organisationId, due.entityId),
      write: (subscription) => tryTurn(subscription, deps),
      conflicts: [HealthConflictError],
    },
    deps,
  );
}

/** @returns undefined when there is no work now */
async function tryTurn(subscription: Subscription | undefined, deps: ResumeDeps): Promise<Turn | undefined> {
  const { resumeAt, leaseUntil } = subscription?.health ?? newHealth;
  if (!subscription?.health || resumeAt === undefined) return undefined;
  const nowMs = deps.now().getTime();
  const waitMs = Date.parse(resumeAt) - nowMs;
  if (waitMs > 0) {
    // Not due yet. Usually another timer is set for `resumeAt`. But this message may come from that timer, too early
    // because clocks differ.
    if (waitMs <= webhookMs.clockSkew) await setTimer(subscription, resumeAt, deps);
    return undefined;
  }
  if (leaseUntil !== undefined && Date.parse(leaseUntil) > nowMs) {
    // The run that has the turn sets the next timer. If that run fails, the work is due when the run's lease ends.
    await setTimer(subscription, leaseUntil, deps);
    return undefined;
  }
  const lease = new Date(nowMs + webhookMs.resumeLease).toISOString();
  const health: EndpointHealth = { ...subscription.health, leaseUntil: lease };
  return { subscription: await writeHealth(subscription, { health, events: [] }, deps), leaseUntil: lease };
}

/** Writes the result of a run, unless the turn is over or the endpoint has moved to another URL. */
function endTurn({ subscription, leaseUntil }: Turn, run: Run, deps: ResumeDeps): Promise<void> {
  const { organisationId, subscriptionId } = subscription;
  return decideAndWrite(
    {
      subject: `the end of the turn for endpoint ${subscriptionId}`,
      load: () => deps.subscriptions.findById(organisationId, subscriptionId),
      write: async (fresh) => {
        if (fresh?.health?.leaseUntil !== leaseUntil) return;
        const change = afterRun(fresh.health, run, { now: deps.now(), random: deps.randomShare() });
        const { resumeAt } = change.health;
        if (resumeAt !== undefined) await setTimer(fresh, resumeAt, deps);
        const after = await writeHealth(fresh, change, deps);
        deps.recent.note(after);
      },
      conflicts: [HealthConflictError],
    },
    deps,
  );
}

function writeHealth(
  subscription: Subscription,
  change: Parameters<Subscriptions['writeHealth']>[1],
  { subscriptions, now, nextUuid }: ResumeDeps,
): Promise<Subscription> {
  return subscriptions.writeHealth(subscription, change, { now: now(), nextUuid });
}

interface RunDeps extends AttemptDeps, TimerDeps, ReplayDeps {
  readonly table: Pick<Deps['table'], 'pause'>;
  readonly deliveries: Pick<Deliveries, 'record' | 'list' | 'park' | 'oldestParked' | 'findParked'>;
  readonly recent: Pick<RecentSubscriptions, 'note'>;
  readonly pace: Pace;
}

/** Sends what is due to one endpoint. The caller has the turn. */
async function runEndpoint(subscription: Subscription, deps: RunDeps): Promise<Run> {
  const health = subscription.health ?? newHealth;
  const startedAt = deps.now();
  const tested = await sendTest(subscription, deps);
  const nothing: Run = {
    ...{ begun: health, startedAt, attempts: inputsOf(tested, health.state === 'open'), isDrain: false },
    ...{ drainedTo: undefined, waitingUntil: undefined, testedId: health.testEventId, replay: 'none' },
  };
  if (health.state === 'disabled') return nothing;
  if (health.state === 'open') {
    // A test that succeeded shows that the endpoint works. A test that failed shows nothing.
    return tested.length > 0 ? nothing : { ...nothing, attempts: await probe(subscription, deps) };
  }
  const replay = await replayPage(subscription, deps);
  const drain = await drainParked(subscription, startedAt, deps);
  return { ...nothing, replay, isDrain: true, ...drain, attempts: [...nothing.attempts, ...drain.attempts] };
}

/** The attempts that count for the endpoint's health: all except tests that failed. */
function inputsOf(attempts: readonly Attempt[], isProbe: boolean): Run['attempts'] {
  return attempts
    .filter(({ message, outcome }) => message.event.name !== testEventName || outcome.result === 'delivered')
    .map(({ outcome, at, isRetry }) => ({ outcome, at, isRetry, isProbe }));
}

async function sendTest(subscription: Subscription, deps: RunDeps): Promise<Attempt[]> {
  const id = subscription.health?.testEventId;
  const parked = id === undefined ? undefined : await deps.deliveries.findParked(subscription.subscriptionId, id);
  return parked ? [await send(parked, subscription, deps)] : [];
}

/**
 * Probes with the delivery that has the fewest attempts: one event that the endpoint always refuses must not keep the
 * other events waiting.
 */
async function probe(subscription: Subscription, deps: RunDeps): Promise<Run['attempts']> {
  const { items } = await deps.deliveries.oldestParked(subscription.subscriptionId, {
    limit: maximumCount.recentAttempts,
  });
  const [chosen] = items.toSorted((one, other) => one.attempt - other.attempt);
  return chosen ? inputsOf([await send(chosen, subscription, deps)], true) : [];
}

async function replayPage({ subscriptionId, health }: Subscription, deps: RunDeps): Promise<Run['replay']> {
  if (health?.replayId === undefined) return 'none';
  return (await advanceReplay(subscriptionId, health.replayId, deps)) ? 'more' : 'done';
}

/**
 * Sends the parked deliveries that are due. Stops early when one of them fails at its first attempt, or when the time
 * of the run is over.
 */
async function drainParked(
  subscription: Subscription,
  startedAt: Date,
  deps: RunDeps,
): Promise<Pick<Run, 'attempts' | 'drainedTo' | 'waitingUntil'>> {
  const { subscriptionId, health } = subscription;
  const limit = health?.drainSize ?? maximumCount.firstDrain;
  const { items: page, hasMore } = await deps.deliveries.oldestParked(subscriptionId, {
    limit,
    after: health?.drainedTo,
  });
  const now = deps.now().toISOString();
  const isDue = ({ notBefore, parkedAt }: ParkedDelivery) =>
    notBefore <= now || parkedAt < (health?.recoveredAt ?? parkedAt);
  const late = page.filter((parked) => !isDue(parked));
  const due = page.filter(isDue);
  const attempts: Attempt[] = [];
  let isStopped = false;
  while (attempts.length < due.length && !isStopped) {
    const together = due.slice(attempts.length, attempts.length + deps.pace.of(subscriptionId));
    const made = await Promise.all(together.map((parked) => send(parked, subscription, deps)));
    attempts.push(...made);
    const hasFailed = made.some(({ outcome, isRetry }) => outcome.result === 'failed' && !isRetry);
    deps.pace.note(subscriptionId, hasFailed ? 'failed' : 'delivered');
    isStopped = hasFailed || deps.now().getTime() - startedAt.getTime() > webhookMs.resumeRun;
  }
  const isAtEnd = !hasMore && attempts.length === due.length;
  // The position `last` may be past a delivery that is not due yet. `waitingUntil` makes a later run send it.
  const last = attempts.length < due.length ? attempts.at(-1)?.message.event.id : page.at(-1)?.event.id;
  const times = [
    ...late.map(({ notBefore }) => notBefore),
    ...attempts.flatMap(({ parkedUntil }) => parkedUntil ?? []),
  ];
  return {
    attempts: inputsOf(attempts, false),
    drainedTo: isAtEnd ? undefined : (last ?? health?.drainedTo),
    waitingUntil: times.toSorted()[0],
  };
}

function send({ event, attempt }: ParkedDelivery, subscription: Subscription, deps: RunDeps): Promise<Attempt> {
  const message: DeliveryMessage = { event, attempt, subscription: SubscriptionRef.parse(subscription) };
  return attemptDelivery(message, { subscription, from: 'table' }, deps);
}
