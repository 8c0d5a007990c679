import { maximumCount, webhookMs } from '../contracts/limits.ts';
import {
  afterAttempt,
  type EndpointHealth,
  type HealthChange,
  type HealthInput,
  requestedPauseMs,
} from './endpoint-health.ts';

/** What one run did for an endpoint. */
export interface Run {
  /** The health with which the run began. */
  readonly begun: EndpointHealth;
  readonly startedAt: Date;
  /**
   * The attempts in sequence. Failed tests are left out, because an endpoint that works may refuse the unknown test
   * event.
   */
  readonly attempts: readonly Omit<HealthInput, 'random'>[];
  /**
   * Whether the run was a step of a drain: it sent parked deliveries. Always false for a run that began while the
   * endpoint was not `closed`.
   */
  readonly isDrain: boolean;
  /** The id of the last event that the drain has tried; undefined when the drain has reached the end. */
  readonly drainedTo: string | undefined;
  /** The earliest next attempt of the deliveries that stay parked. */
  readonly waitingUntil: string | undefined;
  /** The test event that was sent. */
  readonly testedId: string | undefined;
  /** Whether the run parked deliveries of a replay, and whether the replay has more. */
  readonly replay: 'none' | 'more' | 'done';
}

interface Decision {
  readonly now: Date;
  readonly random: number;
}

/**
 * Decides the health after a run: the state, and the time of the next run. Ends the run's lease.
 *
 * @param health as it is now. A deliverer or the owner may have changed it during the run
 */
export function afterRun(health: EndpointHealth, run: Run, { now, random }: Decision): HealthChange {
  const tried = run.attempts.reduce<HealthChange>(
    (change, attempt) => {
      const next = afterAttempt(change.health, { ...attempt, random });
      return { health: next.health, events: [...change.events, ...next.events] };
    },
    { health: withoutTurn(health, run), events: [] },
  );
  return { health: withOrders(resumed(tried.health, run, now), health, run), events: tried.events };
}

function withoutTurn({ leaseUntil: _, ...health }: EndpointHealth, { testedId, replay, begun }: Run): EndpointHealth {
  return {
    ...health,
    ...(health.testEventId === testedId && { testEventId: undefined }),
    ...(replay === 'done' && health.replayId === begun.replayId && { replayId: undefined }),
  };
}

/** The health with the time of the next run, as far as this run knows it. */
function resumed(after: EndpointHealth, run: Run, now: Date): EndpointHealth {
  const { begun } = run;
  if (after.state === 'disabled') return { ...after, resumeAt: undefined };
  if (after.state === 'open') return after.resumeAt === begun.resumeAt ? stillOpen(after, run, now) : after;
  return run.isDrain ? drained(after, run, now) : after;
}

/**
 * The health after a run without a probe: the run only sent a test that failed, or found no delivery for a probe. After
 * a test, the next probe comes soon. Without a delivery, no run is planned: the next delivery that is parked starts the
 * timer and becomes the probe.
 */
function stillOpen(after: EndpointHealth, { testedId }: Run, now: Date): EndpointHealth {
  const resumeAt = testedId === undefined ? after.waitingUntil : inMs(now, webhookMs.messageDelay);
  return { ...after, resumeAt, waitingUntil: undefined };
}

/**
 * The health after a step of a drain. A step without a warning doubles the size of the next step; a step with a warning
 * halves it. After the last step, the next drain begins when a parked delivery is due.
 */
function drained(health: EndpointHealth, run: Run, now: Date): EndpointHealth {
  const size = health.drainSize ?? maximumCount.firstDrain;
  const drainSize = run.attempts.some(isWarning)
    ? Math.max(1, Math.floor(size / 2))
    : Math.min(maximumCount.longestDrain, 2 * size);
  const ofReplay = run.replay === 'none' ? undefined : now.toISOString();
  const waitingUntil = earliest(health.waitingUntil, run.waitingUntil, ofReplay);
  const soon = nextRunAt(run, now);
  const { drainedTo } = run;
  if (drainedTo !== undefined) return { ...health, drainSize, drainedTo, waitingUntil, resumeAt: soon };

  const { drainedTo: _, waitingUntil: __, ...rest } = health;
  if (waitingUntil === undefined) return { ...rest, drainSize: undefined, resumeAt: undefined };
  // If no delivery was due, the next drain begins a minute later at the earliest.
  const first = run.attempts.length > 0 || ofReplay !== undefined ? soon : inMs(now, webhookMs.latePause);
  return { ...rest, drainSize, resumeAt: waitingUntil > first ? waitingUntil : first };
}

/**
 * Takes over what the owner or another writer changed during the run. The next run does the work that such a change
 * requested, and goes through the parked deliveries from the oldest on.
 */
function withOrders(after: EndpointHealth, fresh: EndpointHealth, run: Run): EndpointHealth {
  const { begun } = run;
  const isChanged = fresh.resumeAt !== begun.resumeAt || fresh.state !== begun.state;
  const hasOrder =
    after.testEventId !== undefined ||
    (after.state === 'closed' && after.replayId !== undefined && run.replay !== 'more');
  if (!hasOrder && (!isChanged || after.state === 'disabled')) return after;
  const { drainedTo: _, ...rest } = after;
  const ofOrder = hasOrder ? run.startedAt.toISOString() : undefined;
  return { ...rest, resumeAt: earliest(after.resumeAt, isChanged ? fresh.resumeAt : undefined, ofOrder) };
}

/** Whether an attempt shows that the endpoint receives too much, or does not work. */
const isWarning = ({ outcome, isRetry }: Run['attempts'][number]): boolean =>
  outcome.result === 'failed' && (!isRetry || outcome.errorClass === 'rate_limited');

/**
 * Returns the time of the next run. Usually the pause before it is the shortest one. After a run that took long, the
 * pause is longer, so that a slow endpoint does not occupy a run all the time. If the endpoint asked for an even longer
 * pause, the next run waits for that pause.
 */
function nextRunAt({ startedAt, attempts }: Run, now: Date): string {
  const takenMs = now.getTime() - startedAt.getTime();
  const pauseMs = takenMs > webhookMs.quickRun ? 2 * takenMs : webhookMs.drainStep - takenMs;
  return inMs(now, Math.max(0, pauseMs, ...attempts.map(({ outcome }) => requestedPauseMs(outcome))));
}

const inMs = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString();

function earliest(...times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).toSorted()[0];
}
