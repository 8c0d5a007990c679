import { describe, expect, it } from 'vitest';
import { webhookAttemptDelaysMs } from '../../shared/contracts/limits.ts';
import type { AttemptOutcome, ErrorClass } from '../../shared/webhooks/attempt-outcome.ts';
import {
  afterAttempt,
  type EndpointHealth,
  enabled,
  laneOf,
  newHealth,
} from '../../shared/webhooks/endpoint-health.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000);
const iso = (seconds: number) => at(seconds).toISOString();

const success = (totalMs = 20): AttemptOutcome => ({ result: 'delivered', status: 200, timing: { totalMs } });
const failure = (errorClass: ErrorClass = 'server_error', retryAfterSeconds?: number): AttemptOutcome => ({
  ...{ result: 'failed', errorClass, timing: { totalMs: 5 } },
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

const outcomes: Readonly<Record<string, AttemptOutcome>> = {
  S: success(),
  L: success(1500),
  F: failure(),
  T: failure('timeout'),
};

/** The health after a series of attempts, one each second. */
function series(letters: string, health: EndpointHealth = newHealth) {
  return [...letters].reduce(
    (change, letter, index) => {
      const outcome = outcomes[letter] ?? success();
      const next = afterAttempt(change.health, { outcome, at: at(index), random: 0.5 });
      return { health: next.health, events: [...change.events, ...next.events] };
    },
    { health, events: [] as readonly string[] },
  );
}

/**
 * Plays probes that all fail, each at its planned time. Returns the last health, the events, and the times of the
 * probes in seconds.
 */
function probing(outcome: AttemptOutcome, count: number) {
  let { health, events } = series('FFFFF');
  const times: number[] = [];
  while (times.length < count && health.resumeAt !== undefined) {
    const time = new Date(health.resumeAt);
    times.push((time.getTime() - start) / 1000);
    const change = afterAttempt(health, { outcome, at: time, random: 0.5, isProbe: true });
    health = change.health;
    events = [...events, ...change.events];
  }
  return { health, events, times };
}

describe('afterAttempt(), for deliveries,', () => {
  it('returns the given object while the endpoint stays healthy', () => {
    const { health } = series('SSSSS');
    expect(series('SSSSS', health).health).toBe(health);
    expect(health.recent).toBe('S'.repeat(20));
  });

  it.each([
    ['F', 'closed'],
    ['FFFF', 'closed'],
    ['FFFFF', 'open'],
    ['TTTTT', 'open'],
    ['SFFFF', 'closed'],
    ['SFFFFF', 'open'],
    ['SFSFSFSFSFSFSFSFSF', 'closed'],
    ['SFSFSFSFSFSFSFSFSFSF', 'open'],
    ['SFFSFFSFFSFFSFF', 'open'],
    // L is a slow success, and counts like a fast one.
    ['LLLLLLLLLL', 'closed'],
  ])('after the attempts %s, where S and L succeed, and F and T fail, the circuit breaker is %s', (letters, state) => {
    const { health, events } = series(letters);
    expect(health.state).toBe(state);
    // The owner receives an event only after the first probes have failed too.
    expect(events).toEqual([]);
  });

  it('opens the circuit breaker when the endpoint asks for a long pause', () => {
    const { health, events } = afterAttempt(newHealth, {
      outcome: failure('rate_limited', 3600),
      at: at(0),
      random: 0.5,
    });
    expect(health).toMatchObject({ state: 'open', resumeAt: iso(3600) });
    expect(events).toEqual(['webhook.endpoint_degraded']);
  });

  it('forgets the start of the failures after a success', () => {
    expect(series('FF').health.failingSince).toBe(iso(0));
    expect(series('FFS').health.failingSince).toBeUndefined();
  });
});

describe('afterAttempt(), for a retried event,', () => {
  const retry = (health: EndpointHealth, outcome = failure()) =>
    afterAttempt(health, { outcome, at: at(90), random: 0.5, isRetry: true });

  it('keeps the circuit breaker closed after every failure', () => {
    const { health } = series('SF');
    expect(retry(health).health).toBe(health);
    expect(retry(series('SFFFF').health).health.state).toBe('closed');
  });

  it('disables the endpoint at a second 410 more than a minute later', () => {
    const gone = afterAttempt(newHealth, { outcome: failure('gone'), at: at(0), random: 0.5 });
    expect(retry(gone.health, failure('gone')).health).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
  });
});

describe('laneOf()', () => {
  it.each([
    ['', 'slow'],
    ['S', 'slow'],
    ['SSSS', 'slow'],
    ['SSSSS', 'fast'],
    ['L', 'slow'],
    ['SSSSST', 'slow'],
    ['SSSSSL', 'slow'],
    ['SSSSSF', 'slow'],
    ['SSSSSFSSSS', 'slow'],
    ['SSSSSFSSSSS', 'fast'],
    ['FFFFF', 'slow'],
  ])('after the attempts %j (S fast, L slow, F and T failed), returns the lane %s', (letters, lane) => {
    expect(laneOf(letters === '' ? undefined : series(letters).health)).toBe(lane);
  });
});

describe('afterAttempt(), for probes,', () => {
  it('plans probes with the delays of a delivery’s attempts', () => {
    const { times } = probing(failure(), 11);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 4));
    expect(gaps.map((seconds) => seconds * 1000)).toEqual(webhookAttemptDelaysMs.slice(1));
    // 76 hours, the sum of all delays.
    expect(Math.round((times.at(-1) ?? 0) / 3600)).toBe(76);
  });

  it('disables the endpoint after five days and two warnings', () => {
    const { health, events, times } = probing(failure(), 100);
    expect(health).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
    expect(health.resumeAt).toBeUndefined();
    expect(events).toEqual(['webhook.endpoint_degraded', 'webhook.endpoint_degraded', 'webhook.endpoint_disabled']);
    expect(times.at(-1)).toBeGreaterThanOrEqual(5 * 86_400);
    expect(times).toHaveLength(13);
  });

  it('sends a late second warning before it disables the endpoint', () => {
    const day = 86_400;
    const { health } = probing(failure(), 8);
    const failing = { ...health, failingSince: iso(0), degradedAt: iso(60) };
    const fail = (from: EndpointHealth, seconds: number) =>
      afterAttempt(from, { outcome: failure(), at: at(seconds), random: 0.99, isProbe: true });
    const before = fail(failing, 3.9 * day);
    const warned = fail(before.health, 5.1 * day);
    const last = fail(warned.health, 6.3 * day);

    expect([before, warned, last].map(({ events }) => events)).toEqual([
      [],
      ['webhook.endpoint_degraded'],
      ['webhook.endpoint_disabled'],
    ]);
    expect(warned.health.state).toBe('open');
  });

  it('disables the endpoint at a second 410 more than a minute later', () => {
    const { health, events, times } = probing(failure('gone'), 100);
    expect(health).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
    expect(events.at(-1)).toBe('webhook.endpoint_disabled');
    // The first probe with a 410 is at 9 seconds. The second is too soon after it, and the third is more than a minute
    // later.
    expect(times).toEqual([9, 39, 159]);
  });

  it('closes the circuit breaker after one success', () => {
    const { health } = series('FFFFF');
    const change = afterAttempt(health, { outcome: success(), at: at(60), random: 0.5, isProbe: true });
    expect(change.health).toMatchObject({ state: 'closed', probes: 0, resumeAt: iso(60) });
    expect(change.health.failingSince).toBeUndefined();
    expect(laneOf(change.health)).toBe('slow');
  });

  it('reports a recovery only if it reported the failures', () => {
    const { health } = series('FFFFF');
    expect(afterAttempt(health, { outcome: success(), at: at(9), random: 0.5, isProbe: true }).events).toEqual([]);
    const { health: told, events } = probing(failure(), 2);
    expect(events).toEqual(['webhook.endpoint_degraded']);
    const recovery = afterAttempt(told, { outcome: success(), at: at(90), random: 0.5, isProbe: true });
    expect(recovery.events).toEqual(['webhook.endpoint_recovered']);
  });

  it('ignores attempts from before the circuit breaker opened', () => {
    const { health } = series('FFFFF');
    expect(afterAttempt(health, { outcome: success(), at: at(6), random: 0.5 }).health).toBe(health);
    expect(afterAttempt(health, { outcome: failure(), at: at(6), random: 0.5 }).health).toBe(health);
  });

  it('waits as long as the Retry-After of a probe requires', () => {
    const { health } = series('FFFFF');
    const change = afterAttempt(health, {
      outcome: failure('rate_limited', 86_400),
      at: at(9),
      random: 0.5,
      isProbe: true,
    });
    expect(change.health.resumeAt).toBe(iso(9 + 86_400));
  });
});

describe('enabled()', () => {
  it('resets the health of a disabled endpoint and plans a run now', () => {
    const { health } = probing(failure('gone'), 100);
    expect(enabled(health, at(9))).toEqual({
      ...{ ...newHealth, resumeAt: iso(9), recoveredAt: iso(9), drainSize: 10 },
    });
  });
});
