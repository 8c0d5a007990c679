import * as z from 'zod/mini';
import { Cents } from '../../../../money.ts';
import { compare, defineCondition, holdsAsBefore, moreOrLess, noFaults } from '../kind.ts';

/** How much money the member spent at the merchant since connecting, with this purchase. */
export const totalSpend = defineCondition({
  name: 'TOTAL_SPEND',
  code: 2,
  unit: 'cents',
  observes: 'member',
  fields: { operator: z.literal('GREATER_THAN'), amountCents: Cents },
  needed: ({ amountCents }) => amountCents,
  find: ({ operator, amountCents }, { totalSpendCents }) => compare(totalSpendCents, operator, amountCents),
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed }) => `${moreOrLess(operator)} ${needed} was spent at the merchant since connecting`,
  faults: noFaults,
  examples: [
    {
      part: { attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 100_000 },
      note: 'since connecting, with this purchase',
    },
  ],
});
