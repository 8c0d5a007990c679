import { validationError } from '../aws-service/aws-error.ts';

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  /** Forms that only this field has, with what they become. */
  readonly special?: (part: string) => string | undefined;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const DAY_OF_MONTH = 2;
const DAY_OF_WEEK = 4;

/** In the order of the expression. Names stand for numbers from the field's minimum on. */
const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31, special: (part) => (/^(L|LW|([1-9]|[12]\d|3[01])W)$/.test(part) ? part : undefined) },
  { min: 1, max: 12, names: MONTHS },
  { min: 1, max: 7, names: WEEKDAYS, special: weekdayForm },
  { min: 1970, max: 2199 },
];

/**
 * Writes an AWS cron expression in the dialect of the cron library: seconds first, every step with an explicit range.
 *
 * @throws AwsError ValidationException
 */
export function translateCron(expression: string): string {
  const parts = expression.trim().split(/\s+/);
  const anyDay = [parts[DAY_OF_MONTH], parts[DAY_OF_WEEK]].filter((part) => part === '?');
  // One of the two days must be left open: AWS has no meaning for both at once.
  if (parts.length !== FIELDS.length || anyDay.length !== 1) throw invalid(expression);

  const translated = FIELDS.map((field, index) => {
    const text = (parts[index] ?? '').toUpperCase();
    if (text === '?' && (index === DAY_OF_MONTH || index === DAY_OF_WEEK)) return '*';
    return text
      .split(',')
      .map((part) => field.special?.(part) ?? plainForm(part, field) ?? fail(expression))
      .join(',');
  });
  return ['0', ...translated].join(' ');
}

/** `*`, `a`, `a-b`, and each of them with `/step`; undefined for anything else. */
function plainForm(part: string, field: Field): string | undefined {
  const match = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(part);
  if (!match) return undefined;
  const [, all, first, last, step] = match;
  if (all && !step) return '*';

  const from = all ? field.min : numberOf(first, field);
  const openEnd = step ? field.max : from;
  const to = last === undefined ? openEnd : numberOf(last, field);
  if (from === undefined || to === undefined || from > to || step === '0') return undefined;
  if (from === to) return String(from);
  return step ? `${from}-${to}/${Math.min(Number(step), to - from + 1)}` : `${from}-${to}`;
}

/** `L` (the week's last day), `6L` (the month's last Friday), `6#2` (its second). */
function weekdayForm(part: string): string | undefined {
  if (part === 'L') return '7';
  const [, day, last, , nth] = /^(\w+?)(?:(L)|(#)([1-5]))$/.exec(part) ?? [];
  const number = numberOf(day, { min: 1, max: 7, names: WEEKDAYS });
  if (number === undefined) return undefined;
  return `${number}#${last ?? nth}`;
}

function numberOf(text: string | undefined, { min, max, names = [] }: Field): number | undefined {
  if (text === undefined) return undefined;
  const value = names.includes(text) ? names.indexOf(text) + min : Number(/^\d+$/.test(text) ? text : Number.NaN);
  return value >= min && value <= max ? value : undefined;
}

function fail(expression: string): never {
  throw invalid(expression);
}

function invalid(expression: string): Error {
  return validationError(`Invalid Schedule Expression cron(${expression}).`);
}
