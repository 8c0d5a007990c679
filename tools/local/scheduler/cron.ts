import { Cron } from 'croner';
import { validationError } from '../aws-service/service-server.ts';

/**
 * Returns a function that finds the first time of an AWS cron expression after an instant. The function returns
 * undefined when there is no such time. The fields of an expression are `minutes hours day-of-month month day-of-week
 * year`.
 *
 * @throws AwsError ValidationException when AWS would refuse the expression
 */
export function parseCron(fields: string): (afterMs: number) => number | undefined {
  const cron = createCron(fields);
  return (afterMs) => cron.nextRun(new Date(afterMs))?.getTime();
}

function createCron(fields: string): Cron {
  const pattern = translateCron(fields);
  try {
    return new Cron(pattern, { timezone: 'UTC', mode: '7-part', alternativeWeekdays: true, paused: true });
  } catch (error) {
    throw validationError(
      `Invalid Schedule Expression cron(${fields}): ${error instanceof Error ? error.message : error}`,
    );
  }
}

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  /** Translates the forms that exist only in this field. */
  readonly translateSpecial?: (part: string) => string | undefined;
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const dayOfMonth = 2;
const dayOfWeek = 4;

/**
 * The fields, in the order of the expression. The names of a field stand for its numbers, beginning with its minimum:
 * JAN is month 1.
 */
const cronFields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31, translateSpecial: translateMonthDay },
  { min: 1, max: 12, names: months },
  { min: 1, max: 7, names: weekdays, translateSpecial: translateWeekday },
  { min: 1970, max: 2199 },
];

/** Writes the expression in the library's dialect: seconds first, and an explicit range for every step. */
function translateCron(expression: string): string {
  const parts = expression.trim().split(/\s+/);
  const openDays = [parts[dayOfMonth], parts[dayOfWeek]].filter((part) => part === '?');
  // AWS requires `?` in exactly one of the two day fields.
  if (parts.length !== cronFields.length || openDays.length !== 1) refuse(expression);

  const translated = cronFields.map((field, index) => {
    const text = (parts[index] ?? '').toUpperCase();
    if (text === '?' && (index === dayOfMonth || index === dayOfWeek)) return '*';
    return text
      .split(',')
      .map((part) => field.translateSpecial?.(part) ?? translatePlain(part, field) ?? refuse(expression))
      .join(',');
  });
  return ['0', ...translated].join(' ');
}

function refuse(expression: string): never {
  throw validationError(`Invalid Schedule Expression cron(${expression}).`);
}

/** Translates `*`, `a`, `a-b`, and each of them with `/step`. Returns undefined for other forms. */
function translatePlain(part: string, field: Field): string | undefined {
  const match = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(part);
  if (!match) return undefined;
  const [, all, first, last, step] = match;
  if (all && !step) return '*';

  const from = all ? field.min : parseNumber(first, field);
  const openEnd = step ? field.max : from;
  const to = last === undefined ? openEnd : parseNumber(last, field);
  if (from === undefined || to === undefined || from > to || step === '0') return undefined;
  if (from === to) return String(from);
  return step ? `${from}-${to}/${Math.min(Number(step), to - from + 1)}` : `${from}-${to}`;
}

/** Accepts `L` (the last day), `LW` (the last weekday) and `15W` (the weekday nearest to the 15th). */
function translateMonthDay(part: string): string | undefined {
  return /^(L|LW|([1-9]|[12]\d|3[01])W)$/.test(part) ? part : undefined;
}

/** Translates `L` (the last day of the week), `6L` (the last Friday of the month) and `6#2` (its second Friday). */
function translateWeekday(part: string): string | undefined {
  if (part === 'L') return '7';
  const [, day, last, , nth] = /^(\w+?)(?:(L)|(#)([1-5]))$/.exec(part) ?? [];
  const number = parseNumber(day, { min: 1, max: 7, names: weekdays });
  if (number === undefined) return undefined;
  return `${number}#${last ?? nth}`;
}

function parseNumber(text: string | undefined, { min, max, names = [] }: Field): number | undefined {
  if (text === undefined) return undefined;
  const value = names.includes(text) ? names.indexOf(text) + min : Number(/^\d+$/.test(text) ? text : Number.NaN);
  return value >= min && value <= max ? value : undefined;
}
