import * as z from 'zod/mini';
import { dayMs } from '../contracts/limits.ts';
import { memoize } from './memoize.ts';

/** An instant, by ISO 8601 and with its offset: `2026-11-21T09:30:00.000Z`, `2026-11-21T04:30:00-05:00`. */
export const Instant = z.iso.datetime({ offset: true });

/** The time of an instant, in milliseconds since 1970. */
export const timeOf = memoize((instant) => Date.parse(instant));

/** The calendar periods of limits, in the time zone of a partnership. */
export const periods = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR', 'LIFETIME'] as const;
export type Period = (typeof periods)[number];

/**
 * The name of the period that contains an instant, by the calendar of a time zone: `2026-11-21`, `2026-W47`, `2026-11`,
 * `2026-Q4`, `2026` or `LIFETIME`. Weeks follow ISO 8601: they begin on Monday and belong to the year of their
 * Thursday. A day may have 23 or 25 hours.
 *
 * @throws RangeError when the instant or the time zone is invalid
 */
export function periodOf(period: Period, instant: string, timeZone: string): string {
  if (period === 'LIFETIME') return period;
  const { year, month, day } = calendarOf(timeZone)(instant);
  switch (period) {
    case 'DAY':
      return `${year}-${pad(month)}-${pad(day)}`;
    case 'WEEK':
      return weekOf(year, month, day);
    case 'MONTH':
      return `${year}-${pad(month)}`;
    case 'QUARTER':
      return `${year}-Q${Math.ceil(month / 3)}`;
    case 'YEAR':
      return String(year);
  }
}

function weekOf(year: number, month: number, day: number): string {
  const date = Date.UTC(year, month - 1, day);
  const weekday = (new Date(date).getUTCDay() + 6) % 7;
  const thursday = new Date(date + (3 - weekday) * dayMs);
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - newYear) / (7 * dayMs)) + 1;
  return `${thursday.getUTCFullYear()}-W${pad(week)}`;
}

/** The days of the week, as ISO 8601 orders them. */
export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Weekday = (typeof weekdays)[number];

/**
 * The day of the week of an instant, by the calendar of a time zone.
 *
 * @throws RangeError when the instant or the time zone is invalid
 */
export function weekdayOf(instant: string, timeZone: string): Weekday {
  const { year, month, day } = calendarOf(timeZone)(instant);
  return weekdays[(new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7] ?? 'MON';
}

/** Matches the names of all periods except LIFETIME: the year, then its month, day, week or quarter. */
const named = /^(?<year>\d+)(?:-(?:(?<month>\d\d)(?:-(?<day>\d\d))?|W(?<week>\d\d)|Q(?<quarter>\d)))?$/;

/**
 * Midnight after the last day of a period, in UTC. In other time zones, the last day ends at most 14 hours earlier
 * or 12 hours later.
 *
 * @param name as {@link periodOf} returns it
 * @returns undefined for a lifetime
 * @throws RangeError when no period has the name
 */
export function endOfPeriod(name: string): Date | undefined {
  if (name === 'LIFETIME') return undefined;
  const groups = named.exec(name)?.groups;
  if (!groups) throw new RangeError(`${name} is not the name of a period`);
  const [year = 0, month, day, week, quarter] = ['year', 'month', 'day', 'week', 'quarter'].map((part) => {
    const text = groups[part];
    return text === undefined ? undefined : Number(text);
  });
  if (week !== undefined) return new Date(firstMonday(year) + week * 7 * dayMs);
  if (quarter !== undefined) return new Date(Date.UTC(year, quarter * 3));
  if (month === undefined) return new Date(Date.UTC(year + 1, 0));
  return new Date(day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1));
}

/** The Monday of a year's first ISO week, which contains 4 January. */
function firstMonday(year: number): number {
  const fourth = new Date(Date.UTC(year, 0, 4));
  return fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * dayMs;
}

const pad = (part: number) => String(part).padStart(2, '0');

/** The calendar of a time zone. Creating one is a thousand times slower than using it. */
const calendarOf = memoize((timeZone) => {
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', ...parts });
  return memoize((instant) => {
    const [month = 0, day = 0, year = 0] = format.format(timeOf(instant)).split('/').map(Number);
    return { year, month, day };
  });
});

/** Whether a text names a time zone of the IANA database. */
export function isTimeZone(timeZone: string): boolean {
  try {
    calendarOf(timeZone);
    return true;
  } catch {
    return false;
  }
}
