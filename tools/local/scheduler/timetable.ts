import { validationError } from '../aws-service/service-server.ts';
import { parseCron } from './cron.ts';

/** When a schedule is due, in milliseconds since the epoch. */
export interface Timetable {
  /** Returns the first due time of a schedule that starts at an instant, or undefined when it is never due. */
  first(fromMs: number): number | undefined;
  /** Returns the due time after another due time, or undefined when there is none. */
  next(afterMs: number): number | undefined;
  readonly isOneTime: boolean;
}

/** A one-time schedule that is late by less than this runs nevertheless. AWS promises this precision. */
export const precisionMs = 60_000;

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads `at(…)`, `rate(…)` or `cron(…)`, all in UTC.
 *
 * @throws AwsError ValidationException when AWS would refuse the expression
 */
export function createTimetable(expression: string): Timetable {
  const [, kind, content = ''] = /^(at|rate|cron)\((.*)\)$/.exec(expression) ?? [];
  if (kind === 'at') return createOneTime(content);
  if (kind === 'rate') return createRate(content);
  if (kind === 'cron') return createRecurring(parseCron(content));
  throw invalidExpression(expression);
}

function createOneTime(content: string): Timetable {
  const timeMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(content) ? Date.parse(`${content}Z`) : Number.NaN;
  if (Number.isNaN(timeMs)) throw invalidExpression(`at(${content})`);

  const next = (afterMs: number): number | undefined => (timeMs > afterMs ? timeMs : undefined);
  return { next, first: (fromMs) => next(fromMs - precisionMs), isOneTime: true };
}

/** The first due time is the instant at which the schedule starts. */
function createRate(content: string): Timetable {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(content) ?? [];
  const periodMs = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (!(periodMs > 0)) throw invalidExpression(`rate(${content})`);
  return { first: (fromMs) => fromMs, next: (afterMs) => afterMs + periodMs, isOneTime: false };
}

function createRecurring(next: Timetable['next']): Timetable {
  return { next, first: (fromMs) => next(fromMs - 1), isOneTime: false };
}

function invalidExpression(expression: string): Error {
  return validationError(`Invalid Schedule Expression ${expression}.`);
}
