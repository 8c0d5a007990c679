import * as z from 'zod/mini';
import { type Weekday, weekdayOf, weekdays } from '../../../../period.ts';
import { inForms, isOrIsNot } from '../form.ts';
import { defineCondition, fault, faultIf, holdsAsBefore, membership } from '../kind.ts';
import { say } from '../phrase.ts';

const dayNames: Readonly<Record<Weekday, string>> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
};
const isWeekday = (value: string): value is Weekday => value in dayNames;

/** The day of the week on which the event happens, in the partnership's time zone. */
export const schedule = defineCondition({
  name: 'SCHEDULE',
  code: 10,
  unit: null,
  observes: 'event',
  fields: { operator: membership, days: z.array(z.enum(weekdays)).check(z.minLength(1), z.maxLength(weekdays.length)) },
  needed: ({ days }) => days,
  find({ operator, days }, { occurredAt, timeZone }) {
    const day = weekdayOf(occurredAt, timeZone);
    return { holds: days.includes(day) === (operator === 'IS_IN'), actual: [day] };
  },
  holdsAfterRefund: holdsAsBefore,
  valueInWords: (value) => (isWeekday(value) ? dayNames[value] : value),
  words: ({ operator, needed }) => say`it is ${operator === 'IS_IN' ? '' : 'not '}${needed}`,
  faults: ({ operator, days }, { at }) =>
    faultIf(
      operator === 'IS_NOT_IN' && new Set(days).size === weekdays.length,
      fault(`${at}/days`, 'never_holds', 'Every day of the week is left out: the condition can never hold'),
    ),
  examples: inForms([
    {
      part: { attribute: 'SCHEDULE', operator: 'IS_IN', days: ['SAT', 'SUN'] },
      note: 'in the partnership’s time zone; or IS_NOT_IN',
    },
  ]),
  form: inForms({
    label: 'Day of the week',
    help: 'Compares the day on which it happens, in the partnership’s time zone.',
    fields: { operator: isOrIsNot, days: { label: 'Days', choices: dayNames } },
  }),
});
