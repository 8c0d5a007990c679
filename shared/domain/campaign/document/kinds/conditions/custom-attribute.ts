import { valuesOf } from '../../facts.ts';
import { attributeName, defineCondition, holdsAsBefore, membership, noFaults, texts } from '../kind.ts';

/** An attribute that the merchant or the event reports. An attribute without a reported value is in no list. */
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
  words({ operator, needed, name }) {
    const attribute = name === undefined ? 'the attribute' : `the attribute ${name}`;
    return `${attribute} ${operator === 'IS_IN' ? 'is' : 'is not'} one of ${needed}`;
  },
  faults: noFaults,
  examples: [
    {
      part: { attribute: 'CUSTOM', operator: 'IS_NOT_IN', name: 'plan', values: ['trial'] },
      note: 'or IS_IN',
    },
  ],
});
