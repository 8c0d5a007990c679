import { describe, expect, it } from 'vitest';
import { bodyOf, eventId, numberOf } from '../../../../tools/bench/webhooks/event.ts';
import { ArrivalLog, figuresOf, recordKind, Tally } from '../../../../tools/bench/webhooks/tally.ts';

const { arrived, answered } = recordKind;
type Record = readonly [kind: number, endpoint: number, event: number, at: number];

function recordsOf(...all: readonly Record[]) {
  const log = new ArrivalLog(all.length);
  for (const [kind, endpoint, event, at] of all) log.add({ kind, endpoint, event, at });
  return log.take();
}

describe('an event id of the bench', () => {
  const atMs = Date.parse('2026-11-22T12:00:00Z');

  it.each([0, 1, 255, 1_000_000, 2 ** 32 - 1])('is a UUID that contains the number %i', (number) => {
    const id = eventId(number, atMs);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(atMs);
    expect(numberOf(id)).toBe(number);
    expect(JSON.parse(bodyOf({ id }))).toEqual({ event: 'transaction_status_updated', entity: 3, entity_id: id });
  });

  it('has no number when another program made it', () => {
    expect(numberOf('01a200ad-340a-7c53-9210-90443bb8c00e')).toBeNaN();
  });
});

describe('ArrivalLog', () => {
  it('returns each record once, in order', () => {
    const log = new ArrivalLog(2);
    log.add({ kind: arrived, endpoint: 3, event: 70_000, at: 1.25 });
    const { kinds, endpoints, events, times } = log.take();
    expect([[...kinds], [...endpoints], [...events], [...times]]).toEqual([[arrived], [3], [70_000], [1.25]]);
    expect(log.take().kinds).toHaveLength(0);
  });

  it('refuses a record when it is full, and has room again after take()', () => {
    const log = new ArrivalLog(1);
    const record = { kind: arrived, endpoint: 0, event: 0, at: 0 };
    log.add(record);
    expect(() => log.add(record)).toThrow(RangeError);
    log.take();
    log.add(record);
    expect(log.take().kinds).toHaveLength(1);
  });
});

describe('the join of events and arrivals', () => {
  it('measures the time from an event’s due time to its first request', () => {
    const tally = new Tally();
    tally.expect(5, 0, 1_000);
    tally.add(recordsOf([arrived, 0, 5, 1_030], [arrived, 0, 5, 6_030], [answered, 0, 5, 6_031]));
    expect(figuresOf(tally.deliveries, 9_000)).toEqual({
      expected: 1,
      delivered: 1,
      requests: 2,
      duplicates: 0,
      first: { p50: 30, p99: 30 },
      perSecond: 1_000 / 5_031,
    });
  });

  it('counts every 2xx answer after the first as a duplicate', () => {
    const tally = new Tally();
    tally.expect(5, 0, 0);
    tally.add(recordsOf([arrived, 0, 5, 1], [answered, 0, 5, 2], [arrived, 0, 5, 3], [answered, 0, 5, 4]));
    tally.add(recordsOf([arrived, 0, 5, 5], [answered, 0, 5, 6]));
    expect(figuresOf(tally.deliveries, 10)).toMatchObject({ delivered: 1, requests: 3, duplicates: 2 });
  });

  it('counts each event at each endpoint separately', () => {
    const tally = new Tally();
    for (const [event, endpoint] of [
      [1, 0],
      [1, 1],
      [2, 0],
    ] as const) {
      tally.expect(event, endpoint, 0);
    }
    tally.add(recordsOf([arrived, 1, 1, 5], [answered, 1, 1, 6]));
    const delivered = tally.deliveries.filter(({ answers }) => answers > 0);
    expect(delivered.map(({ event, endpoint }) => [event, endpoint])).toEqual([[1, 1]]);
    expect(figuresOf(tally.deliveries, 10)).toMatchObject({ expected: 3, delivered: 1 });
  });

  it('counts an arrival that came before its event was expected', () => {
    const tally = new Tally();
    tally.add(recordsOf([arrived, 0, 5, 1_010], [answered, 0, 5, 1_011]));
    tally.expect(5, 0, 1_000);
    expect(figuresOf(tally.deliveries, 2_000)).toMatchObject({ delivered: 1, requests: 1, first: { p50: 10 } });
  });

  it('ignores arrivals of events that were never expected', () => {
    const tally = new Tally();
    tally.add(recordsOf([arrived, 0, 4, 1], [answered, 0, 4, 2]));
    expect(figuresOf(tally.deliveries, 10)).toMatchObject({ expected: 0, delivered: 0, requests: 0, perSecond: 0 });
  });

  it('counts a delivery without an attempt as waiting', () => {
    const tally = new Tally();
    for (let event = 0; event < 100; event += 1) tally.expect(event, 0, 0);
    for (let event = 0; event < 98; event += 1) tally.add(recordsOf([arrived, 0, event, 1], [answered, 0, event, 2]));
    expect(figuresOf(tally.deliveries, 60_000)).toMatchObject({ delivered: 98, first: { p50: 1, p99: 60_000 } });
  });
});
