import { describe, expect, it } from 'vitest';
import {
  addToOffset,
  createOffset,
  createPlatformClock,
  createShiftedDate,
} from '../../../tools/local/clock/platform-clock.ts';

const hourMs = 3_600_000;

describe('a controlled clock', () => {
  it('adds the advanced time to the machine’s time', async () => {
    const clock = createPlatformClock('controlled');
    const beforeMs = Date.now();
    await clock.advance(2 * hourMs);
    await clock.advance(hourMs);

    expect(clock.now() - 3 * hourMs).toBeGreaterThanOrEqual(beforeMs);
    expect(clock.now() - 3 * hourMs).toBeLessThanOrEqual(Date.now());
  });

  it('runs due timers in the order of their times', async () => {
    const clock = createPlatformClock('controlled');
    const startMs = clock.now();
    const ran: [string, number][] = [];
    const setTimer = (name: string, hours: number): (() => void) =>
      clock.at(startMs + hours * hourMs, () => ran.push([name, Math.floor((clock.now() - startMs) / hourMs)]));
    setTimer('third', 3);
    setTimer('first', 1);
    setTimer('second', 2);
    setTimer('not yet', 5);

    await clock.advance(4 * hourMs);

    expect(ran).toEqual([
      ['first', 4],
      ['second', 4],
      ['third', 4],
    ]);
  });

  it('does not run a timer that an earlier timer has cancelled', async () => {
    const clock = createPlatformClock('controlled');
    const ran: string[] = [];
    const cancelLater = clock.at(clock.now() + 2 * hourMs, () => ran.push('later'));
    clock.at(clock.now() + hourMs, () => {
      ran.push('earlier');
      cancelLater();
    });

    await clock.advance(3 * hourMs);

    expect(ran).toEqual(['earlier']);
    expect(clock.isBusy()).toBe(false);
  });

  it('runs a timer when the machine’s time reaches it, without any advance', async () => {
    const clock = createPlatformClock('controlled');
    await clock.advance(hourMs);
    const later = new Promise<number>((resolve) => clock.at(clock.now() + 30, () => resolve(clock.now())));
    const past = new Promise<number>((resolve) => clock.at(clock.now() - 1, () => resolve(clock.now())));

    expect(await past).toBeLessThan(await later);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses to advance by %s milliseconds', async (byMs) => {
    await expect(createPlatformClock('controlled').advance(byMs)).rejects.toThrow(RangeError);
  });
});

it("the machine's clock cannot be advanced: the error names the option for a controlled clock", async () => {
  await expect(createPlatformClock().advance(1)).rejects.toThrow("clock: 'controlled'");
});

describe('a shifted Date', () => {
  const offset = createOffset();
  const Shifted = createShiftedDate(offset);
  addToOffset(offset, 1000 * hourMs);

  it('adds the offset to Date.now(), new Date() and Date()', () => {
    const expectedMs = Date.now() + 1000 * hourMs;
    const asked = [Shifted.now(), new Shifted().getTime(), Date.parse(Shifted())];
    for (const timeMs of asked) expect(Math.abs(timeMs - expectedMs)).toBeLessThan(2_000);
  });

  it('behaves like Date for given times, instanceof and static functions', () => {
    expect(new Shifted(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(new Shifted(2026, 0).getFullYear()).toBe(2026);
    expect(new Shifted()).toBeInstanceOf(Date);
    expect(new Date()).toBeInstanceOf(Shifted);
    expect(Shifted.UTC(1970, 0, 2)).toBe(24 * hourMs);
  });

  it('can be the base class of another class', () => {
    class Day extends Shifted {
      readonly kind = 'day';
    }
    expect(new Day().kind).toBe('day');
    expect(new Day().getTime()).toBeGreaterThan(Date.now() + 999 * hourMs);
  });
});
