import { describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../shared/webhooks/attempt-outcome.ts';
import { afterAttempt, type EndpointHealth, enabled } from '../../shared/webhooks/endpoint-health.ts';
import { afterRun, type Run } from '../../shared/webhooks/resume-run.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000);
const iso = (seconds: number) => at(seconds).toISOString();
const later = { now: at(20), random: 0.5 };
const lease = iso(90);

const success: AttemptOutcome = { result: 'delivered', status: 200, timing: { totalMs: 20 } };
const failure: AttemptOutcome = { result: 'failed', errorClass: 'timeout', timing: { totalMs: 20_000 } };

const open: EndpointHealth = { state: 'open', recent: 'FFFFF', probes: 2, resumeAt: iso(0), failingSince: iso(-600) };
const draining: EndpointHealth = { state: 'closed', recent: 'S', probes: 0, resumeAt: iso(0), drainSize: 10 };
const inTurn = (health: EndpointHealth): EndpointHealth => ({ ...health, leaseUntil: lease });

function aRun(begun: EndpointHealth, parts: Partial<Run> = {}): Run {
  return {
    ...{ begun: inTurn(begun), startedAt: at(0), attempts: [], isDrain: begun.state === 'closed' },
    ...{ drainedTo: undefined, waitingUntil: undefined, testedId: undefined, replay: 'none', ...parts },
  };
}
const probe = (outcome: AttemptOutcome): Run['attempts'] => [{ outcome, at: at(0), isProbe: true }];

describe('afterRun()', () => {
  it('ends the lease of the run', () => {
    for (const health of [open, draining]) {
      expect(afterRun(inTurn(health), aRun(health), later).health.leaseUntil).toBeUndefined();
    }
  });

  it('lets the next run send twice as many deliveries after a success', () => {
    const attempts = [{ outcome: success, at: at(0) }];
    const run = aRun(draining, { attempts, drainedTo: 'x' });
    const quick = { now: at(0.2), random: 0.5 };
    expect(afterRun(inTurn(draining), run, quick).health).toMatchObject({ drainSize: 20, resumeAt: iso(1) });
    expect(afterRun(inTurn(draining), aRun(draining, { attempts }), later).health.resumeAt).toBeUndefined();
  });

  it('pauses twice as long as the run took', () => {
    const { health } = afterRun(inTurn(draining), aRun(draining, { drainedTo: 'x' }), later);
    expect(health.resumeAt).toBe(iso(60));
  });

  it('halves the next run after a failed first attempt, not after a failed retry', () => {
    const failed = (isRetry: boolean) =>
      aRun(draining, { drainedTo: 'x', attempts: [{ outcome: failure, at: at(0), isRetry }] });
    expect(afterRun(inTurn(draining), failed(false), later).health.drainSize).toBe(5);
    expect(afterRun(inTurn(draining), failed(true), later).health.drainSize).toBe(20);
  });

  it('plans the next run for the earliest due time, at least a minute later', () => {
    const wait = (seconds: number) => aRun(draining, { waitingUntil: iso(seconds) });
    expect(afterRun(inTurn(draining), wait(600), later).health.resumeAt).toBe(iso(600));
    expect(afterRun(inTurn(draining), wait(22), later).health.resumeAt).toBe(iso(80));
  });

  it('plans no probe when no delivery waits', () => {
    const { health, events } = afterRun(inTurn(open), aRun(open), later);
    expect(health).toMatchObject({ state: 'open', failingSince: open.failingSince });
    expect(health.resumeAt).toBeUndefined();
    expect(events).toEqual([]);
  });
});

describe('afterRun() for an endpoint changed meanwhile', () => {
  const isReached = ({ resumeAt, drainedTo }: EndpointHealth) =>
    resumeAt !== undefined && resumeAt <= iso(21) && drainedTo === undefined;

  it.each<[string, Run]>([
    ['a probe that fails', aRun(open, { attempts: probe(failure) })],
    ['a probe that succeeds', aRun(open, { attempts: probe(success) })],
    ['a probe that finds no delivery', aRun(open)],
    ['a test of a disabled endpoint', aRun({ ...open, state: 'disabled', testEventId: 'test' }, { testedId: 'test' })],
    ['the last run with parked deliveries', aRun(draining, { attempts: [{ outcome: success, at: at(0) }] })],
    ['a run with parked deliveries', aRun(draining, { attempts: [{ outcome: success, at: at(0) }], drainedTo: 'x' })],
  ])('resumes deliveries at once when the owner enabled the endpoint during %s', (_, run) => {
    const fresh = enabled(run.begun, at(10));
    const { health } = afterRun(fresh, run, later);
    expect(health.state).toBe('closed');
    expect(isReached(health)).toBe(true);
  });

  it.each<[string, Run]>([
    ['a probe that fails', aRun({ ...open, probes: 9 }, { attempts: probe(failure) })],
    ['the last run with parked deliveries', aRun(draining)],
  ])('plans a test event at once when the owner requested one during %s', (_, run) => {
    const fresh = { ...run.begun, resumeAt: iso(10), testEventId: 'test' };
    const { health } = afterRun(fresh, run, later);
    expect(health.testEventId).toBe('test');
    expect(health.resumeAt && health.resumeAt <= iso(21)).toBe(true);
  });

  it('begins a replay that the owner requested during the run', () => {
    const run = aRun(draining);
    const replayId = '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05';
    const { health } = afterRun({ ...run.begun, resumeAt: iso(10), replayId }, run, later);
    expect(health.replayId).toBe(replayId);
    expect(isReached(health)).toBe(true);
  });

  it('keeps the probe that deliverWebhooks() planned', () => {
    const run = aRun(draining, { drainedTo: 'x', attempts: [{ outcome: failure, at: at(15), isRetry: false }] });
    const opened = [1, 2, 3, 4, 5].reduce(
      (health) => afterAttempt(health, { outcome: failure, at: at(14), random: 0.5 }).health,
      run.begun,
    );
    const { health } = afterRun(opened, run, later);
    expect(health).toMatchObject({ state: 'open', resumeAt: opened.resumeAt });
  });

  it('plans another run for a newly parked delivery', () => {
    const run = aRun({ ...draining, drainedTo: 'x' });
    const { health } = afterRun({ ...run.begun, waitingUntil: iso(1800) }, run, later);
    expect(health.resumeAt).toBe(iso(1800));
  });
});
