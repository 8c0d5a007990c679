import { validationError } from '../aws-service/service-server.ts';
import { parseCron } from './cron.ts';
import { createTimeZone, type TimeZone } from './time-zone.ts';

/** When a schedule is due, in milliseconds since the epoch. */
export interface Timetable {
  /** Returns the first due time of a schedule that starts at an instant, or undefined when it is never due. */
  first(fromMs: number): number | undefined;
  /** Returns the due time after another due time, or undefined when there is none. */
  next(afterMs: number): number | undefined;
  readonly isOneTime: boolean;
}

export interface TimetableInput {
  /** `at(…)`, `rate(…)` or `cron(…)`. */
  readonly expression: string;
  readonly timezone: string;
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
}

/** A one-time schedule that is late by less than this runs nevertheless. AWS promises this precision. */
export const precisionMs = 60_000;

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** @throws AwsError ValidationException when AWS would refuse the expression or the time zone */
export function createTimetable(input: TimetableInput): Timetable {
  const zone = readTimeZone(input.timezone);
  const [, kind, content = ''] = /^(at|rate|cron)\((.*)\)$/.exec(input.expression) ?? [];
  if (kind === 'at') return createOneTime(content, zone);
  if (kind === 'rate') return endAt(createRate(content, input), input);
  if (kind === 'cron') return endAt(createRecurring(parseCron(content, zone), input), input);
  throw invalidExpression(input.expression);
}

/** One-time schedules ignore the start date and the end date. */
function createOneTime(content: string, zone: TimeZone): Timetable {
  const wallMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(content) ? Date.parse(`${content}Z`) : Number.NaN;
  const timeMs = Number.isNaN(wallMs) ? undefined : zone.toInstant(wallMs);
  if (timeMs === undefined) throw invalidExpression(`at(${content})`);

  const next = (afterMs: number): number | undefined => (timeMs > afterMs ? timeMs : undefined);
  return { next, first: (fromMs) => next(fromMs - precisionMs), isOneTime: true };
}

/** Counts from the start date. Without one, the first due time is the instant at which the schedule starts. */
function createRate(content: string, { startMs }: TimetableInput): Timetable {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(content) ?? [];
  const periodMs = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (!(periodMs > 0)) throw invalidExpression(`rate(${content})`);

  return {
    first(fromMs) {
      if (startMs === undefined) return fromMs;
      return startMs + Math.max(0, Math.ceil((fromMs - startMs) / periodMs)) * periodMs;
    },
    next: (afterMs) => afterMs + periodMs,
    isOneTime: false,
  };
}

function createRecurring(next: Timetable['next'], { startMs = Number.NEGATIVE_INFINITY }: TimetableInput): Timetable {
  return { next, first: (fromMs) => next(Math.max(fromMs, startMs) - 1), isOneTime: false };
}

function endAt(timetable: Timetable, { endMs = Number.POSITIVE_INFINITY }: TimetableInput): Timetable {
  const untilEnd = (timeMs: number | undefined): number | undefined =>
    timeMs !== undefined && timeMs <= endMs ? timeMs : undefined;
  return {
    first: (fromMs) => untilEnd(timetable.first(fromMs)),
    next: (afterMs) => untilEnd(timetable.next(afterMs)),
    isOneTime: timetable.isOneTime,
  };
}

function readTimeZone(name: string): TimeZone {
  try {
    return createTimeZone(name);
  } catch {
    throw validationError(`Invalid Timezone ${name}.`);
  }
}

function invalidExpression(expression: string): Error {
  return validationError(`Invalid Schedule Expression ${expression}.`);
}
