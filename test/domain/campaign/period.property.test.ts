import { describe, expect, it } from 'vitest';
import { endOfPeriod, isTimeZone, type Period, periodOf, periods } from '../../../shared/domain/period.ts';
import { fc } from '../../support/fast-check.ts';
import { anyInstants, zones } from './arbitraries.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Starts in 2012: until 2011, the clocks of St. John's went back at 00:01, so the local date went back a day. */
const times = fc.integer({ min: Date.parse('2012-01-01T00:00:00Z'), max: Date.parse('2100-12-31T00:00:00Z') });
const instantOf = (time: number) => new Date(time).toISOString();

/** Computes the local date from the offset to UTC. The code under test formats the date instead. */
function localDate(time: number, timeZone: string): Date {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(time + (sign === '-' ? -offset : offset));
}

/** Counts weeks from the Monday of the week that contains 4 January. */
function isoWeek(date: Date): string {
  const mondayOf = (time: number) => time - ((new Date(time).getUTCDay() + 6) % 7) * dayMs;
  const day = Math.floor(date.getTime() / dayMs) * dayMs;
  const year = [1, 0, -1]
    .map((more) => date.getUTCFullYear() + more)
    .find((candidate) => mondayOf(Date.UTC(candidate, 0, 4)) <= day);
  if (year === undefined) throw new Error('a day is in a week');
  const week = (mondayOf(day) - mondayOf(Date.UTC(year, 0, 4))) / (7 * dayMs) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

function expected(period: Period, time: number, timeZone: string): string {
  const date = localDate(time, timeZone);
  const day = date.toISOString().slice(0, 10);
  switch (period) {
    case 'DAY':
      return day;
    case 'WEEK':
      return isoWeek(date);
    case 'MONTH':
      return day.slice(0, 7);
    case 'QUARTER':
      return `${day.slice(0, 4)}-Q${['01-', '04-', '07-', '10-'].filter((first) => first <= day.slice(5)).length}`;
    case 'YEAR':
      return day.slice(0, 4);
    case 'LIFETIME':
      return 'LIFETIME';
  }
}

describe('periods in any time zone', () => {
  it('have the names that an independent implementation computes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...periods), times, zones, (period, time, timeZone) => {
        expect(periodOf(period, instantOf(time), timeZone)).toBe(expected(period, time, timeZone));
      }),
      { numRuns: 2_000 },
    );
  });

  it('have the independently computed names around clock changes', () => {
    const changes = fc.constantFrom(
      ['America/New_York', '2026-03-08T07:00:00Z'] as const,
      ['America/New_York', '2026-11-01T06:00:00Z'] as const,
      ['Europe/Berlin', '2026-03-29T01:00:00Z'] as const,
      ['Europe/Berlin', '2026-10-25T01:00:00Z'] as const,
      ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'] as const,
      ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'] as const,
      ['America/Havana', '2026-03-08T05:00:00Z'] as const,
    );
    const near = fc.integer({ min: -30 * hourMs, max: 30 * hourMs });
    fc.assert(
      fc.property(fc.constantFrom(...periods), changes, near, (period, [timeZone, change], distance) => {
        const time = Date.parse(change) + distance;
        expect(periodOf(period, instantOf(time), timeZone)).toBe(expected(period, time, timeZone));
      }),
      { numRuns: 1_000 },
    );
  });

  it('have the same DAY name if and only if the local day is the same', () => {
    const sameDay = fc.tuple(times, fc.integer({ min: -25 * hourMs, max: 25 * hourMs }), zones);
    fc.assert(
      fc.property(sameDay, ([time, distance, timeZone]) => {
        const [one, other] = [time, time + distance].map((each) =>
          localDate(each, timeZone).toISOString().slice(0, 10),
        );
        const names = [time, time + distance].map((each) => periodOf('DAY', instantOf(each), timeZone));
        expect(names[0] === names[1]).toBe(one === other);
      }),
      { numRuns: 1_000 },
    );
  });

  it('have names that sort by time', () => {
    const later = fc.oneof(fc.integer({ min: 0, max: 3 * dayMs }), fc.integer({ min: 0, max: 800 * dayMs }));
    fc.assert(
      fc.property(times, later, zones, (time, more, timeZone) => {
        const names = periods.map((period) =>
          [time, time + more].map((each) => periodOf(period, instantOf(each), timeZone)),
        );
        for (const [earlier = '', after = ''] of names) expect(earlier <= after).toBe(true);
        const isSame = Object.fromEntries(periods.map((period, i) => [period, names[i]?.[0] === names[i]?.[1]]));
        const whole = ['DAY', 'MONTH', 'QUARTER', 'YEAR', 'LIFETIME'].map((period) => isSame[period]);
        expect(whole).toEqual(whole.toSorted());
        if (isSame.DAY) expect(isSame.WEEK).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('end between 14 hours before and 12 hours after the time of endOfPeriod()', () => {
    fc.assert(
      fc.property(fc.constantFrom(...periods), times, zones, (period, time, timeZone) => {
        const name = periodOf(period, instantOf(time), timeZone);
        const end = endOfPeriod(name)?.getTime();
        expect(end === undefined).toBe(period === 'LIFETIME');
        if (end === undefined) return;
        expect(periodOf(period, instantOf(end - 1), 'UTC')).toBe(name);
        expect(periodOf(period, instantOf(end), 'UTC')).not.toBe(name);
        expect(time).toBeLessThan(end + 12 * hourMs);
        expect(periodOf(period, instantOf(end + 12 * hourMs), timeZone)).not.toBe(name);
        expect(periodOf(period, instantOf(end - 14 * hourMs - 1), timeZone) <= name).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('have a well-formed name at every valid instant', () => {
    fc.assert(
      fc.property(fc.constantFrom(...periods), anyInstants, zones, (period, instant, timeZone) => {
        expect(periodOf(period, instant, timeZone)).toMatch(/^(?:LIFETIME|\d+(?:-(?:W\d\d|Q[1-4]|\d\d(?:-\d\d)?))?)$/);
      }),
    );
  });
});

describe('endOfPeriod()', () => {
  it.each([
    ['2028-02-28', '2028-02-29T00:00:00.000Z'],
    ['2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['2026-W53', '2027-01-04T00:00:00.000Z'],
    ['2026-02', '2026-03-01T00:00:00.000Z'],
    ['2026-Q4', '2027-01-01T00:00:00.000Z'],
    ['2026', '2027-01-01T00:00:00.000Z'],
  ])('returns the end $1 for the period $0', (name, end) => {
    expect(endOfPeriod(name)?.toISOString()).toBe(end);
  });

  it.each(['', 'DAY', '2026-1', '2026-W5', '2026-11-21T00:00:00Z'])('throws for %j, which is not a period', (name) => {
    expect(() => endOfPeriod(name)).toThrow(RangeError);
  });
});

describe('the schema of time zones', () => {
  it.each(['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'UTC'])('accepts the time zone %s', (zone) => {
    expect(isTimeZone(zone)).toBe(true);
  });

  it.each(['', 'New York', 'America/Gotham', '../etc', '__proto__'])('refuses %j as a time zone', (zone) => {
    expect(isTimeZone(zone)).toBe(false);
    expect(() => periodOf('DAY', '2026-06-10T16:00:00.000Z', zone)).toThrow(RangeError);
  });
});
