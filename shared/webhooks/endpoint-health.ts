import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { EventName } from '../contracts/events.ts';
import { maximumCount, webhookAttemptDelaysMs, webhookMs } from '../contracts/limits.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { withJitter } from './retry-or-park.ts';

const instant = z.optional(z.iso.datetime());

/**
 * The health of an endpoint: what the platform concludes from the endpoint's replies, and when it sends the next
 * request. A **drain** goes once through all parked deliveries of an endpoint, in several runs.
 */
export const EndpointHealth = z.object({
  /**
   * `closed`: deliveries are sent. `open`: deliveries wait, and one probe at a time is sent. `disabled`: deliveries
   * wait until the owner enables the endpoint.
   */
  state: z.enum(['closed', 'open', 'disabled']),
  /**
   * The results of the last attempts, the latest at the end: S for a success, L for a success that took long, F for a
   * failure, T for a timeout.
   */
  recent: z.string(),
  /** The time of the first failure after the last success. */
  failingSince: instant,
  /** The time of the first reply 410. Another reply 410 disables the endpoint, if it comes some time later. */
  goneAt: instant,
  /** The time at which the owner learnt that the endpoint is `open`. */
  degradedAt: instant,
  /** The time at which the owner was warned again. */
  warnedAt: instant,
  /** Probes that failed since the endpoint became `open`. */
  probes: z.int(),
  /** Whether the last probe was a delivery that had failed before. */
  isProbedByRetry: z.optional(z.boolean()),
  /** The time of the next probe, or of the next run that sends parked deliveries. Absent when neither is planned. */
  resumeAt: instant,
  /** The end of the lease of the run in progress. No other run for the endpoint begins before. */
  leaseUntil: instant,
  /** Deliveries that were parked before this time are due at once. */
  recoveredAt: instant,
  /** The number of parked deliveries that the next run sends at most. */
  drainSize: z.optional(z.int()),
  /** The id of the last event that the current drain has tried. */
  drainedTo: z.optional(z.string()),
  /** When the first of the parked deliveries that the current drain leaves out is due. */
  waitingUntil: instant,
  /** The parked test event to send now, in any state. */
  testEventId: z.optional(z.string()),
  /** The replay that is in progress. */
  replayId: z.optional(z.uuid()),
  disabledReason: z.optional(z.enum(['failing', 'gone'])),
});
export type EndpointHealth = z.infer<typeof EndpointHealth>;

/** The health of an endpoint to which nothing was sent yet. */
export const newHealth: EndpointHealth = { state: 'closed', recent: '', probes: 0 };

/** A new health, and the events about it for the owner of the endpoint. */
export interface HealthChange {
  readonly health: EndpointHealth;
  readonly events: readonly EventName[];
}

/** The facts about an attempt that decide the health. */
export interface HealthInput {
  readonly outcome: AttemptOutcome;
  readonly at: Date;
  /** At least 0, below 1. It spreads the probes of many endpoints. */
  readonly random: number;
  /** Whether the attempt was the probe of an endpoint that is `open`. */
  readonly isProbe?: boolean;
  /**
   * Whether an earlier attempt of the delivery failed. If this attempt fails too, that says more about the event than
   * about the endpoint. So an event that an endpoint cannot take does not stop the other events.
   */
  readonly isRetry?: boolean;
}

const fastWindow = 'S'.repeat(maximumCount.fastInRow);

/** The queue for deliveries to an endpoint. An endpoint is fast when its last replies were all quick successes. */
export function laneOf({ state, recent }: EndpointHealth = newHealth): 'fast' | 'slow' {
  return state === 'closed' && recent.endsWith(fastWindow) ? 'fast' : 'slow';
}

/** Decides the health after an attempt. Returns the same object when the attempt changes nothing. */
export function afterAttempt(health: EndpointHealth, input: HealthInput): HealthChange {
  const { state } = health;
  // While the endpoint is `open`, only probes count: all other attempts began before the endpoint was `open`.
  if (state === 'disabled' || (state === 'open' && !input.isProbe)) return unchanged(health);
  if (input.outcome.result === 'delivered') return afterSuccess(health, input);
  return state === 'open' ? afterProbe(health, input) : afterFailure(health, input);
}

/** The health after the owner enabled the endpoint: its parked deliveries are sent. */
export function enabled(health: EndpointHealth, at: Date): EndpointHealth {
  return recovered(health, at);
}

const unchanged = (health: EndpointHealth): HealthChange => ({ health, events: [] });

function afterSuccess(health: EndpointHealth, { outcome, at }: HealthInput): HealthChange {
  const letter = outcome.timing.totalMs > webhookMs.slowReply ? 'L' : 'S';
  if (health.state === 'open') {
    const closed = { ...recovered(health, at), recent: letter };
    return { health: closed, events: health.degradedAt ? ['webhook.endpoint_recovered'] : [] };
  }
  const { failingSince, goneAt, ...rest } = health;
  const recent = pushed(health.recent, letter);
  return unchanged(recent === health.recent && !failingSince && !goneAt ? health : { ...rest, recent });
}

/**
 * The health after an endpoint recovered. It keeps the replay and the test event that the owner requested, and forgets
 * the failures. A drain begins at once, with a few deliveries.
 */
function recovered({ leaseUntil, replayId, testEventId }: EndpointHealth, at: Date): EndpointHealth {
  return {
    ...newHealth,
    ...{ resumeAt: at.toISOString(), recoveredAt: at.toISOString(), drainSize: maximumCount.firstDrain },
    ...(leaseUntil && { leaseUntil }),
    ...(replayId && { replayId }),
    ...(testEventId && { testEventId }),
  };
}

function afterFailure(health: EndpointHealth, input: HealthInput): HealthChange {
  const { recent: before } = health;
  const recent = input.isRetry ? before : pushed(before, isTimeout(input.outcome) ? 'T' : 'F');
  const next = { ...markFailure(health, input), recent };
  if (isGoneTwice(health, input)) return disabled(next, 'gone');
  const isLongPause = requestedPauseMs(input.outcome) > webhookMs.messageDelay;
  if ((input.isRetry || !isBroken(recent)) && !isLongPause) {
    return unchanged(isDeepStrictEqual(next, health) ? health : next);
  }
  const open: EndpointHealth = { ...next, state: 'open', probes: 0, resumeAt: probeTime(0, input) };
  return isLongPause ? degraded(open, input.at) : unchanged(open);
}

function afterProbe(health: EndpointHealth, input: HealthInput): HealthChange {
  const next = markFailure(health, input);
  const failingMs = input.at.getTime() - Date.parse(next.failingSince ?? input.at.toISOString());
  if (isGoneTwice(health, input)) return disabled(next, 'gone');
  // Probes may be more than a day apart, so perhaps none came between `warnedAfter` and `disabledAfter`. Then the
  // first probe after `disabledAfter` only warns.
  if (failingMs >= webhookMs.disabledAfter && health.warnedAt) return disabled(next, 'failing');

  const probes = health.probes + 1;
  const isProbedByRetry = input.isRetry === true;
  const waiting: EndpointHealth = { ...next, probes, isProbedByRetry, resumeAt: probeTime(probes, input) };
  // The owner receives no event about an endpoint that fails for a few seconds only.
  if (!health.degradedAt) return probes >= maximumCount.silentProbes ? degraded(waiting, input.at) : unchanged(waiting);
  if (failingMs < webhookMs.warnedAfter || health.warnedAt) return unchanged(waiting);
  return { health: { ...waiting, warnedAt: input.at.toISOString() }, events: ['webhook.endpoint_degraded'] };
}

function degraded(health: EndpointHealth, at: Date): HealthChange {
  return { health: { ...health, degradedAt: at.toISOString() }, events: ['webhook.endpoint_degraded'] };
}

function disabled(health: EndpointHealth, reason: 'failing' | 'gone'): HealthChange {
  const { resumeAt: _, ...rest } = health;
  return { health: { ...rest, state: 'disabled', disabledReason: reason }, events: ['webhook.endpoint_disabled'] };
}

function markFailure(health: EndpointHealth, { outcome, at }: HealthInput): EndpointHealth {
  const time = at.toISOString();
  return {
    ...health,
    failingSince: health.failingSince ?? time,
    ...(isGone(outcome) && { goneAt: health.goneAt ?? time }),
  };
}

function isGoneTwice({ goneAt }: EndpointHealth, { outcome, at }: HealthInput): boolean {
  return isGone(outcome) && goneAt !== undefined && at.getTime() - Date.parse(goneAt) >= webhookMs.goneTwice;
}

const isGone = (outcome: AttemptOutcome) => outcome.result === 'failed' && outcome.errorClass === 'gone';
const isTimeout = (outcome: AttemptOutcome) => outcome.result === 'failed' && outcome.errorClass === 'timeout';

/** The pause that an endpoint asked for with Retry-After, in milliseconds. */
export const requestedPauseMs = (outcome: AttemptOutcome): number =>
  outcome.result === 'failed' ? (outcome.retryAfterSeconds ?? 0) * 1000 : 0;

/**
 * The time of the next probe: after the delay that belongs to the probe's number, but not before the end of the pause
 * that the endpoint asked for.
 */
function probeTime(probes: number, { outcome, at, random }: HealthInput): string {
  const delayMs = webhookAttemptDelaysMs[Math.min(probes + 1, webhookAttemptDelaysMs.length - 1)] ?? 0;
  return new Date(at.getTime() + Math.max(withJitter(delayMs, random), requestedPauseMs(outcome))).toISOString();
}

/**
 * Adds the result of an attempt. If there are enough results, and all are S or all are L, the text is filled with this
 * letter to its full length. So the next result with the same letter does not change the health, and costs no write.
 */
function pushed(recent: string, letter: string): string {
  const next = (recent + letter).slice(-maximumCount.recentAttempts);
  const isUniform = next.length >= maximumCount.fastInRow && /^(S+|L+)$/.test(next);
  return isUniform ? letter.repeat(maximumCount.recentAttempts) : next;
}

function isBroken(recent: string): boolean {
  const failures = [...recent].filter((letter) => letter === 'F' || letter === 'T').length;
  const inRow = /[FT]*$/.exec(recent)?.[0].length ?? 0;
  return inRow >= maximumCount.failuresInRow || failures >= maximumCount.recentFailures;
}

// The work that the owner of an endpoint requests: replays and test events. The next run sends them.

/**
 * The health of an endpoint after a delivery was parked on the owner's request. At an endpoint that is `open`, the
 * delivery waits until a probe succeeds. At a disabled endpoint, the delivery waits until the owner enables the
 * endpoint.
 */
export function withWork(health: EndpointHealth, now: Date): EndpointHealth {
  if (health.state === 'disabled') return health;
  const at = now.toISOString();
  if (health.state === 'open') {
    // If no delivery waited before, no probe is planned. A run in progress may have missed this delivery:
    // `waitingUntil` makes that run plan a next run.
    return { ...health, resumeAt: health.resumeAt ?? at, ...(health.leaseUntil && { waitingUntil: at }) };
  }
  // A run in progress may have missed this delivery. `waitingUntil` starts another drain after the current one.
  const waitingUntil = health.waitingUntil !== undefined && health.waitingUntil < at ? health.waitingUntil : at;
  return { ...health, resumeAt: at, waitingUntil };
}

/** The health of an endpoint that receives a test event as soon as possible, whatever its state is. */
export const withTest = (health: EndpointHealth, testEventId: string, now: Date): EndpointHealth => ({
  ...withWork(health, now),
  resumeAt: now.toISOString(),
  testEventId,
});

/** The health of an endpoint with a new replay. */
export const withReplay = (health: EndpointHealth, replayId: string, now: Date): EndpointHealth => ({
  ...withWork(health, now),
  replayId,
});
