import { describe, expect, it } from 'vitest';
import { dueAt, dueCount, publishOpenLoop } from '../../../../tools/bench/webhooks/round.ts';

describe('the webhook bench’s schedule', () => {
  const schedule = { count: 10, perSecond: 200 };

  it.each([
    [-1, 0],
    [0, 1],
    [4.9, 1],
    [5, 2],
    [44.9, 9],
    [45, 10],
    [10_000, 10],
  ])('has, %d ms after its start, exactly %i due events', (elapsedMs, expected) => {
    expect(dueCount(schedule, elapsedMs)).toBe(expected);
  });

  it('counts an event exactly from its due time', () => {
    for (let nth = 0; nth < schedule.count; nth += 1) {
      expect(dueCount(schedule, dueAt(schedule, nth))).toBe(nth + 1);
      expect(dueCount(schedule, dueAt(schedule, nth) - 0.001)).toBe(nth);
    }
  });

  it('has all events due at its start when the rate is infinite', () => {
    expect(dueCount({ count: 7, perSecond: Number.POSITIVE_INFINITY }, 0)).toBe(7);
    expect(dueAt({ count: 7, perSecond: Number.POSITIVE_INFINITY }, 6)).toBe(0);
  });
});

/** A clock that moves when the publisher pauses. `stall` moves it at other times. */
function handClock() {
  let nowMs = 500;
  return {
    now: () => nowMs,
    pause: async (ms: number) => {
      nowMs += ms;
    },
    stall: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('publishOpenLoop()', () => {
  const schedule = { count: 4, perSecond: 100 };

  it('publishes each event once, when it is due', async () => {
    const clock = handClock();
    const published: [from: number, to: number, at: number][] = [];
    const publish = async (from: number, to: number) => void published.push([from, to, clock.now()]);
    const loop = await publishOpenLoop(schedule, { ...clock, publish });
    expect(published).toEqual([
      [0, 1, 500],
      [1, 2, 510],
      [2, 3, 520],
      [3, 4, 530],
    ]);
    expect(loop).toEqual({ startedAt: 500, lateMs: 0, failures: [] });
  });

  it('does not wait for a sender that takes long', async () => {
    const clock = handClock();
    const sender = Promise.withResolvers<void>();
    const published: number[] = [];
    const publish = (from: number) => {
      published.push(from);
      if (published.length === schedule.count) sender.resolve();
      return sender.promise;
    };
    await publishOpenLoop(schedule, { ...clock, publish });
    expect(published).toEqual([0, 1, 2, 3]);
  });

  it('publishes all due events after a stall, and reports the delay', async () => {
    const clock = handClock();
    const published: [from: number, to: number, at: number][] = [];
    const publish = async (from: number, to: number) => {
      published.push([from, to, clock.now()]);
      if (from === 0) clock.stall(25);
    };
    const loop = await publishOpenLoop(schedule, { ...clock, publish });
    expect(published).toEqual([
      [0, 1, 500],
      [1, 3, 525],
      [3, 4, 530],
    ]);
    expect(loop.lateMs).toBe(15);
  });

  it('reports the events that the sender does not accept, and publishes the other events', async () => {
    const clock = handClock();
    const error = new Error('full');
    const publish = async (from: number) => {
      if (from === 2) throw error;
    };
    const loop = await publishOpenLoop(schedule, { ...clock, publish });
    expect(loop.failures).toEqual([{ from: 2, to: 3, error }]);
  });
});
