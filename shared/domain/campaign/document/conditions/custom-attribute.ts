import * as z from 'zod/mini';
import { valuesOf } from '../facts.ts';
import { membership, part, values } from '../part.ts';
import { defineCondition, shown } from './condition-kind.ts';

/** An attribute that the merchant, the program or the event tells. One that nobody told is not in any list. */
export const customAttribute = defineCondition({
  schema: z.strictObject({
    ...part,
    attribute: z.literal('CUSTOM'),
    operator: membership,
    name: z.string().check(z.minLength(1), z.maxLength(255)),
    values,
  }),
  find({ operator, name, values: wanted }, facts) {
    const actual = valuesOf(name, facts);
    const isIn = actual.some((value) => wanted.includes(value));
    return { holds: isIn === (operator === 'IS_IN'), actual: shown(actual), needed: shown(wanted) };
  },
});
