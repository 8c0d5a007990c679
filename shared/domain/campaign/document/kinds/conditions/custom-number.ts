import * as z from 'zod/mini';
import { type EventFacts, valuesOf } from '../../facts.ts';
import { attributeName, compare, comparison, defineCondition, holdsAsBefore, moreOrLess, noFaults } from '../kind.ts';

/** A number as JSON writes it. Texts such as `0x10`, ` 7` or an empty text are no numbers. */
const decimalNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The number that an attribute has; null without a value, with several values, or with a text. */
function numberOf(name: string, facts: EventFacts): number | null {
  const [value, ...others] = valuesOf(name, facts);
  if (value === undefined || others.length > 0 || !decimalNumber.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** An attribute that is a number, as the merchant or the event reports it. An unknown number is neither more nor less. */
export const customNumber = defineCondition({
  name: 'CUSTOM_NUMBER',
  code: 8,
  unit: 'none',
  observes: 'member',
  fields: {
    operator: comparison,
    name: attributeName,
    value: z.number().check(z.gte(-1_000_000_000_000), z.lte(1_000_000_000_000)),
  },
  needed: ({ value }) => value,
  find: ({ operator, name, value }, facts) => compare(numberOf(name, facts), operator, value),
  holdsAfterRefund: holdsAsBefore,
  words({ operator, needed, name }) {
    const attribute = name === undefined ? 'the attribute' : `the attribute ${name}`;
    return `${attribute} is ${moreOrLess(operator)} ${needed}`;
  },
  faults: noFaults,
  examples: [
    {
      part: { attribute: 'CUSTOM_NUMBER', operator: 'GREATER_THAN', name: 'nights', value: 2 },
      note: 'or LESS_THAN; a number that the merchant or the event reports',
    },
  ],
});
