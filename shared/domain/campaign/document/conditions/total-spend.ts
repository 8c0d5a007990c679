import * as z from 'zod/mini';
import { part } from '../part.ts';
import { compares, defineCondition } from './condition-kind.ts';

/** What the member spent at the merchant since the account was connected, before what is decided about. */
export const totalSpend = defineCondition({
  schema: z.strictObject({
    ...part,
    attribute: z.literal('TOTAL_SPEND'),
    operator: z.literal('GREATER_THAN'),
    amountCents: z.int().check(z.gte(0)),
  }),
  find: ({ operator, amountCents }, { totalSpendCents }) => ({
    holds: compares(totalSpendCents, operator, amountCents),
    actual: totalSpendCents,
    needed: amountCents,
  }),
});
