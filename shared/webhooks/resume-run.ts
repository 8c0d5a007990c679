import { maximumCount, webhookMs } from '../contracts/limits.ts';
import { afterAttempt, type EndpointHealth, type HealthChange, type HealthInput } from './endpoint-health.ts';

/** What one run did for an endpoint. */
export interface Run {
  readonly startedAt: Date;
  /** Attempts in their order, without tests that failed: an endpoint may not know the test event. */
  readonly attempts: readonly Omit<HealthInput, 'random'>[];
  /** Whether the endpoint was open, and the run found no delivery to probe it with. */
  readonly foundNothing: boolean;
  /** The id of the last event that the drain has tried; undefined when the drain has reached the end. */
  readonly drainedTo: string | undefined;
  /** The earliest next attempt of the deliveries that stay parked. */
  readonly waitingUntil: string | undefined;
  /** The test event that was sent. */
  readonly testedId: string | undefined;
  /** Whether the run parked deliveries of a replay, and whether the replay has more. */
  readonly replay: 'none' | 'more' | 'done';
}

/** Decides the health after a run: its state, and the time of the next run. The turn is over. */
export function afterRun(
  health: EndpointHealth,
  run: Run,
  { now, random }: { readonly now: Date; readonly random: number },
): HealthChange {
  const tried = run.attempts.reduce<HealthChange>(
    (change, attempt) => {
      const next = afterAttempt(change.health, { ...attempt, random });
      return { health: next.health, events: [...change.events, ...next.events] };
    },
    { health: withoutTurn(health, run), events: [] },
  );
  const { health: after, events } = tried;
  if (after.state === 'disabled') return { health: { ...after, resumeAt: undefined }, events };
  if (after.state === 'open') {
    return run.foundNothing ? closedWithoutProbe(after, now) : { health: stillOpen(health, after, now), events };
  }
  return { health: health.state === 'closed' ? drained(after, run, now) : after, events };
}

function withoutTurn({ leaseUntil: _, ...health }: EndpointHealth, { testedId, replay }: Run): EndpointHealth {
  return {
    ...health,
    ...(health.testEventId === testedId && { testEventId: undefined }),
    ...(replay === 'done' && { replayId: undefined }),
  };
}

/** No delivery is left to probe the endpoint with. The next event shows whether it works. */
function closedWithoutProbe({ replayId, testEventId }: EndpointHealth, now: Date): HealthChange {
  const resumeAt = replayId ? now.toISOString() : undefined;
  const health: EndpointHealth = { state: 'closed', recent: '', probes: 0, resumeAt, replayId, testEventId };
  return { health, events: ['webhook.endpoint_recovered'] };
}

/** A test that failed is no probe, so the run has changed nothing: the next probe comes after a short pause. */
function stillOpen(before: EndpointHealth, after: EndpointHealth, now: Date): EndpointHealth {
  if (after.resumeAt !== before.resumeAt) return after;
  return { ...after, resumeAt: new Date(now.getTime() + webhookMs.messageDelay).toISOString() };
}

/** The drain continues at a rising rate. At its end, it begins again when the next parked delivery is due. */
function drained(health: EndpointHealth, run: Run, now: Date): EndpointHealth {
  const hasFailed = run.attempts.some(({ outcome }) => outcome.result === 'failed');
  const size = health.drainSize ?? maximumCount.firstDrain;
  const drainSize = hasFailed ? Math.max(1, Math.floor(size / 2)) : Math.min(maximumCount.longestDrain, 2 * size);
  const waitingUntil = earliest(
    health.waitingUntil,
    run.waitingUntil,
    run.replay === 'none' ? undefined : now.toISOString(),
  );
  const soon = new Date(Math.max(now.getTime(), run.startedAt.getTime() + webhookMs.drainStep)).toISOString();
  if (run.drainedTo !== undefined)
    return { ...health, drainSize, drainedTo: run.drainedTo, waitingUntil, resumeAt: soon };

  const { drainedTo: _, waitingUntil: __, ...rest } = health;
  if (health.replayId !== undefined && run.replay === 'more') return { ...rest, drainSize, resumeAt: soon };
  if (waitingUntil === undefined) return { ...rest, drainSize: undefined, resumeAt: undefined };
  return { ...rest, drainSize, resumeAt: waitingUntil > soon ? waitingUntil : soon };
}

function earliest(...times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).toSorted()[0];
}
