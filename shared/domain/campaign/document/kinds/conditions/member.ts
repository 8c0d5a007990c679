import * as z from 'zod/mini';
import { dayMs } from '../../../../../contracts/limits.ts';
import { Cents } from '../../../../money.ts';
import { timeOf } from '../../../../period.ts';
import { type EventFacts, valuesOf } from '../../facts.ts';
import { inForms, isOrIsNot, moreOrLessThan } from '../form.ts';
import {
  attributeName,
  compare,
  comparison,
  defineCondition,
  fault,
  faultIf,
  holdsAsBefore,
  membership,
  moreOrLess,
  noFaults,
  statusTierIds,
  texts,
} from '../kind.ts';
import { type Phrase, say } from '../phrase.ts';

/** How much money the member has spent at the merchant since connecting, including this purchase. */
export const totalSpend = defineCondition({
  name: 'TOTAL_SPEND',
  code: 2,
  unit: 'cents',
  observes: 'member',
  fields: { operator: z.literal('GREATER_THAN'), amountCents: Cents },
  needed: ({ amountCents }) => amountCents,
  find: ({ operator, amountCents }, { totalSpendCents }) => compare(totalSpendCents, operator, amountCents),
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed }) => say`${moreOrLess(operator)} ${needed} was spent at the merchant since connecting`,
  faults: (_condition, { type, at }) =>
    faultIf(type === 'CONNECT_ONLY', fault(at, 'never_holds', 'Nothing is spent before an account is linked')),
  examples: inForms([
    {
      part: { attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 100_000 },
      note: 'since connecting, with this purchase',
    },
  ]),
  form: inForms({
    label: 'Total spending',
    triedWith: 'total',
    help: 'Counts the money that the member has spent since connecting, with this purchase.',
    fields: {
      operator: { label: 'Spent', choices: { GREATER_THAN: 'more than' } },
      amountCents: { label: 'Amount', quantity: 'money' },
    },
  }),
});

/**
 * The time since the member connected, in days of 24 hours. The condition does not hold for a member who is not
 * connected.
 */
export const timeElapsed = defineCondition({
  name: 'TIME_ELAPSED',
  code: 4,
  unit: 'days',
  observes: 'member',
  fields: { operator: comparison, days: z.int().check(z.gte(0), z.lte(36_500)) },
  needed: ({ days }) => days,
  find({ operator, days }, { connectedAt, occurredAt }) {
    const elapsed = connectedAt === null ? null : (timeOf(occurredAt) - timeOf(connectedAt)) / dayMs;
    return compare(elapsed, operator, days);
  },
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed }) => say`the member connected ${moreOrLess(operator)} ${needed} ago`,
  faults: ({ operator }, { type, at }) =>
    faultIf(
      type === 'CONNECT_ONLY' && operator === 'GREATER_THAN',
      fault(at, 'never_holds', 'No time has passed since connecting when an account is linked'),
    ),
  examples: inForms([
    {
      part: { attribute: 'TIME_ELAPSED', operator: 'GREATER_THAN', days: 30 },
      note: 'since connecting; or LESS_THAN',
    },
  ]),
  form: inForms({
    label: 'Time since connecting',
    triedWith: 'time',
    help: 'Compares the days of 24 hours since the member linked an account.',
    fields: { operator: moreOrLessThan, days: { label: 'Days', quantity: 'days' } },
  }),
});

/** The member's status tier in the loyalty program. For a member without a tier, IS_NOT_IN holds and IS_IN does not. */
export const customerStatusCondition = defineCondition({
  name: 'CUSTOMER_STATUS',
  code: 9,
  unit: null,
  observes: 'member',
  fields: { operator: membership, statusTierIds },
  needed: ({ statusTierIds: ids }) => ids.map(String),
  find({ operator, statusTierIds: ids }, { statusTierId }) {
    const isIn = statusTierId !== null && ids.includes(statusTierId);
    return { holds: isIn === (operator === 'IS_IN'), actual: statusTierId === null ? [] : [String(statusTierId)] };
  },
  refersTo: ({ statusTierIds: tierIds }) => ({ tierIds }),
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed }) => say`the status tier ${operator === 'IS_IN' ? 'is' : 'is not'} ${needed}`,
  faults: noFaults,
  examples: inForms([
    {
      part: { attribute: 'CUSTOMER_STATUS', operator: 'IS_NOT_IN', statusTierIds: [1] },
      note: 'or IS_IN; or "statusTiers" with the names of tiers',
    },
  ]),
  form: inForms({
    label: 'Status tier',
    triedWith: 'tier',
    help: 'Compares the member’s tier in the program. A member without a tier is in none.',
    fields: { operator: isOrIsNot, statusTierIds: { label: 'Tiers', source: 'tiers' } },
  }),
});

/** Snapshots of earlier releases lack the name. */
const attributeInWords = (name: Phrase): Phrase => (name.length === 0 ? say`the attribute` : name);

/**
 * An attribute that the merchant or the event reports. Without a reported value, IS_NOT_IN holds and IS_IN does not.
 */
export const customAttribute = defineCondition({
  name: 'CUSTOM',
  code: 5,
  unit: null,
  observes: 'member',
  fields: { operator: membership, name: attributeName, values: texts },
  needed: ({ values }) => values,
  find({ operator, name, values }, facts) {
    const actual = valuesOf(name, facts);
    const isIn = actual.some((value) => values.includes(value));
    return { holds: isIn === (operator === 'IS_IN'), actual: [...actual] };
  },
  refersTo: ({ name, values }) => ({ attribute: { name, values } }),
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed, name }) =>
    say`${attributeInWords(name)} ${operator === 'IS_IN' ? 'is' : 'is not'} ${needed}`,
  faults: noFaults,
  examples: inForms([
    {
      part: { attribute: 'CUSTOM', operator: 'IS_NOT_IN', name: 'plan', values: ['trial'] },
      note: 'or IS_IN',
    },
  ]),
  form: inForms({
    label: 'Attribute',
    triedWith: 'attribute',
    help: 'Compares a value that the merchant or the event reports. Without a value, the member is not in the list.',
    fields: {
      name: { label: 'Attribute', source: 'attributes' },
      operator: isOrIsNot,
      values: { label: 'Values', source: 'attributeValues' },
    },
  }),
});

/** A number as JSON writes it. Texts such as `0x10`, ` 7` or an empty text are no numbers. */
const decimalNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The number that an attribute has; null if the attribute has no value, several values or a text. */
function numberOf(name: string, facts: EventFacts): number | null {
  const [value, ...others] = valuesOf(name, facts);
  if (value === undefined || others.length > 0 || !decimalNumber.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/**
 * An attribute that is a number, as the merchant or the event reports it. An unknown number is neither more nor less
 * than the bound.
 */
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
  words: ({ operator, needed, name }) => say`${attributeInWords(name)} is ${moreOrLess(operator)} ${needed}`,
  faults: noFaults,
  examples: inForms([
    {
      part: { attribute: 'CUSTOM_NUMBER', operator: 'GREATER_THAN', name: 'nights', value: 2 },
      note: 'or LESS_THAN; a number that the merchant or the event reports',
    },
  ]),
  form: inForms({
    label: 'Number',
    triedWith: 'attribute',
    help: 'Compares a number that the merchant or the event reports. An unknown number is neither more nor less.',
    fields: {
      name: { label: 'Attribute', source: 'attributes' },
      operator: moreOrLessThan,
      value: { label: 'Number' },
    },
  }),
});
