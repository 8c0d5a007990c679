import { validationError } from '../aws-service/aws-error.ts';
import { cronTimes } from './cron.ts';
import { createZone, type Zone } from './zone.ts';

/** When a schedule is due, in milliseconds since the epoch. */
export interface Timetable {
  /** The first time, for a schedule that comes into force at an instant; undefined when it is never due. */
  first(fromMs: number): number | undefined;
  /** The time after one of its times; undefined when that was the last. */
  next(afterMs: number): number | undefined;
}

export interface TimetableInput {
  /** `at(…)`, `rate(…)` or `cron(…)`. */
  readonly expression: string;
  readonly timezone: string;
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
}

/** A one-time schedule that is this late is still carried out: the precision AWS promises. */
export const PRECISION_MS = 60_000;

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** @throws AwsError ValidationException when AWS would refuse the expression or the time zone */
export function createTimetable(input: TimetableInput): Timetable {
  const zone = zoneOf(input.timezone);
  const [, kind, content = ''] = /^(at|rate|cron)\((.*)\)$/.exec(input.expression) ?? [];
  if (kind === 'at') return oneTime(content, zone);
  if (kind === 'rate') return bounded(rate(content, input), input);
  if (kind === 'cron') return bounded(recurring(cronTimes(content, zone), input), input);
  throw invalid(input.expression);
}

/** Start and end date do not apply to one-time schedules. */
function oneTime(content: string, zone: Zone): Timetable {
  const wallMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(content) ? Date.parse(`${content}Z`) : Number.NaN;
  const timeMs = Number.isNaN(wallMs) ? undefined : zone.instant(wallMs);
  if (timeMs === undefined) throw invalid(`at(${content})`);

  const next = (afterMs: number): number | undefined => (timeMs > afterMs ? timeMs : undefined);
  return { next, first: (fromMs) => next(fromMs - PRECISION_MS) };
}

/** Counts from the start date, or else from when it comes into force, the first time being that instant itself. */
function rate(content: string, { startMs }: TimetableInput): Timetable {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(content) ?? [];
  const periodMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(periodMs > 0)) throw invalid(`rate(${content})`);

  return {
    first(fromMs) {
      if (startMs === undefined) return fromMs;
      return startMs + Math.max(0, Math.ceil((fromMs - startMs) / periodMs)) * periodMs;
    },
    next: (afterMs) => afterMs + periodMs,
  };
}

function recurring(next: Timetable['next'], { startMs = Number.NEGATIVE_INFINITY }: TimetableInput): Timetable {
  return { next, first: (fromMs) => next(Math.max(fromMs, startMs) - 1) };
}

function bounded(timetable: Timetable, { endMs = Number.POSITIVE_INFINITY }: TimetableInput): Timetable {
  const untilEnd = (timeMs: number | undefined): number | undefined =>
    timeMs !== undefined && timeMs <= endMs ? timeMs : undefined;
  return {
    first: (fromMs) => untilEnd(timetable.first(fromMs)),
    next: (afterMs) => untilEnd(timetable.next(afterMs)),
  };
}

function zoneOf(name: string): Zone {
  try {
    return createZone(name);
  } catch {
    throw validationError(`Invalid Timezone ${name}.`);
  }
}

function invalid(expression: string): Error {
  return validationError(`Invalid Schedule Expression ${expression}.`);
}
