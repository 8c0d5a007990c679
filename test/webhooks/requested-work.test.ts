import { describe, expect, it } from 'vitest';
import { type Delivery, statisticsOf } from '../../shared/webhooks/delivery.ts';
import {
  type EndpointHealth,
  newHealth,
  withReplay,
  withTest,
  withWork,
} from '../../shared/webhooks/endpoint-health.ts';
import { anEvent } from './fixtures.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = now.toISOString();
const earlier = '2026-03-01T11:59:00.000Z';
const open: EndpointHealth = { state: 'open', recent: 'FFFFF', probes: 2, resumeAt: '2026-03-01T14:00:00.000Z' };
const disabled: EndpointHealth = { state: 'disabled', recent: 'F', probes: 9, disabledReason: 'failing' };

describe('sending deliveries on request', () => {
  it('is due now when the endpoint works', () => {
    expect(withWork(newHealth, now)).toEqual({ ...newHealth, resumeAt: at, waitingUntil: at });
  });

  it('does not postpone the earlier due time of another delivery', () => {
    expect(withWork({ ...newHealth, waitingUntil: earlier }, now).waitingUntil).toBe(earlier);
  });

  it.each([open, disabled])('waits while the endpoint is $state', (health) => {
    expect(withWork(health, now)).toEqual(health);
    expect(withReplay(health, 'replay', now)).toEqual({ ...health, replayId: 'replay' });
  });

  it('is due now when an open circuit breaker plans no probe', () => {
    const { resumeAt: _, ...idle } = open;
    expect(withWork(idle, now)).toEqual({ ...idle, resumeAt: at });
    const inTurn = { ...open, leaseUntil: '2026-03-01T12:01:00.000Z' };
    expect(withWork(inTurn, now)).toEqual({ ...inTurn, waitingUntil: at });
  });

  it.each([newHealth, open, disabled])('is due now for a test event when the endpoint is $state', (health) => {
    expect(withTest(health, 'event', now)).toMatchObject({ state: health.state, testEventId: 'event', resumeAt: at });
  });
});

describe('the statistics of deliveries', () => {
  const deliveries = (count: number, parts: (index: number) => Partial<Delivery>): Delivery[] =>
    Array.from({ length: count }, (_, index) => {
      return { event: anEvent(), state: 'delivered', attempts: 1, at, totalMs: index + 1, ...parts(index) };
    });

  it('are the success rate and the percentiles of the durations', () => {
    const mixed = deliveries(100, (index) => (index < 10 ? { state: 'failed' } : {}));
    expect(statisticsOf(mixed.toReversed())).toEqual({ attempted: 100, successRate: 0.9, p50Ms: 50, p95Ms: 95 });
  });

  it('do not count deliveries that were not attempted', () => {
    const waiting = deliveries(3, () => ({ state: 'parked', attempts: 0, totalMs: undefined }));
    expect(statisticsOf(waiting)).toEqual({ attempted: 0 });
    expect(statisticsOf([...waiting, ...deliveries(1, () => ({}))])).toMatchObject({ attempted: 1, successRate: 1 });
  });
});
