import * as z from 'zod/mini';
import { comparison, part } from '../part.ts';
import { compares, defineCondition } from './condition-kind.ts';

/** What is spent by this purchase; where nothing is spent it does not hold. */
export const basketSize = defineCondition({
  schema: z.strictObject({
    ...part,
    attribute: z.literal('BASKET_SIZE'),
    operator: comparison,
    amountCents: z.int().check(z.gte(0)),
  }),
  find: ({ operator, amountCents: needed }, { amountCents }) => ({
    holds: compares(amountCents, operator, needed),
    actual: amountCents,
    needed,
  }),
});
