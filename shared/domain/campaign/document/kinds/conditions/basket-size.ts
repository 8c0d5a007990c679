import { Cents } from '../../../../money.ts';
import { compare, comparison, defineCondition, eventInWords, fault, faultIf, isPurchase, moreOrLess } from '../kind.ts';

/** The amount of the purchase. The condition does not hold when the event spends no money. */
export const basketSize = defineCondition({
  name: 'BASKET_SIZE',
  code: 3,
  unit: 'cents',
  observes: 'event',
  fields: { operator: comparison, amountCents: Cents },
  needed: ({ amountCents }) => amountCents,
  find: ({ operator, amountCents }, facts) => compare(facts.amountCents, operator, amountCents),
  // A refund makes a basket smaller. A basket that was too large before the refund still counts as too large.
  holdsAfterRefund: ({ operator, holds, needed }, netCents) =>
    operator === 'GREATER_THAN' ? holds && netCents > Number(needed) : holds,
  words: ({ operator, needed }) => `the purchase is ${moreOrLess(operator)} ${needed}`,
  faults: (_, context) =>
    faultIf(
      !isPurchase(context),
      fault(context.at, 'no_basket', `Nothing is bought ${eventInWords(context)}: a basket size can never hold`),
    ),
  examples: [
    { part: { attribute: 'BASKET_SIZE', operator: 'LESS_THAN', amountCents: 5_000 }, note: 'or GREATER_THAN' },
  ],
});
