import { testEventName } from '../../contracts/events.ts';
import { maximumCount, webhookMs } from '../../contracts/limits.ts';
import type { Deliveries } from '../../store/webhook/deliveries.ts';
import type { RecentSubscriptions } from '../../store/webhook/subscriptions.ts';
import type { DeliveryMessage, ParkedDelivery } from '../../webhooks/delivery.ts';
import { newHealth } from '../../webhooks/endpoint-health.ts';
import type { Pace } from '../../webhooks/pace.ts';
import type { Run } from '../../webhooks/resume-run.ts';
import { type Subscription, SubscriptionRef } from '../../webhooks/subscription.ts';
import type { Deps } from '../operation.ts';
import { advanceReplay, type ReplayDeps } from './advance-replay.ts';
import { type Attempt, type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import type { TimerDeps } from './endpoint-timer.ts';

export interface RunDeps extends AttemptDeps, TimerDeps, ReplayDeps {
  readonly table: Pick<Deps['table'], 'pause'>;
  readonly deliveries: Pick<Deliveries, 'record' | 'list' | 'park' | 'oldestParked' | 'findParked'>;
  readonly recent: Pick<RecentSubscriptions, 'note'>;
  readonly pace: Pace;
}

/** Sends what is due to one endpoint. The caller has the turn. */
export async function runEndpoint(subscription: Subscription, deps: RunDeps): Promise<Run> {
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

/** Attempts as the health counts them, without tests that failed. */
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

/** Probes with the delivery that has the fewest attempts, so one event that the endpoint cannot take proves nothing. */
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

/** Sends parked deliveries until some of them failed, the run has taken its time, or all due ones are sent. */
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
  // A delivery that is not due yet stays behind the cursor; its time is among `times`.
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
