import * as z from 'zod/mini';
import { valuesOf } from '../../../shared/domain/campaign/document/facts.ts';
import { inForms, moreOrLessThan } from '../../../shared/domain/campaign/document/kinds/form.ts';
import {
  compare,
  comparison,
  defineCondition,
  fault,
  faultIf,
  moreOrLess,
} from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { say } from '../../../shared/domain/campaign/document/kinds/phrase.ts';

/** A condition attribute that only tests have: the average price of the cups in a purchase. */
export const cupPrice = defineCondition({
  name: 'CUP_PRICE',
  code: 99,
  unit: 'cents',
  observes: 'event',
  fields: { operator: comparison, priceCents: z.int().check(z.gte(0)) },
  needed: ({ priceCents }) => priceCents,
  find({ operator, priceCents }, facts) {
    const cups = Number(valuesOf('cups', facts)[0] ?? 0);
    const price = facts.amountCents === null || cups === 0 ? null : facts.amountCents / cups;
    return compare(price, operator, priceCents);
  },
  holdsAfterRefund: ({ holds }, netCents) => holds && netCents > 0,
  words: ({ operator, needed }) => say`a cup costs ${moreOrLess(operator)} ${needed}`,
  faults: ({ priceCents }, { at }) =>
    faultIf(priceCents > 10_000, fault(`${at}/priceCents`, 'dear_cup', 'No cup costs more than $100.00')),
  examples: [{ part: { attribute: 'CUP_PRICE', operator: 'LESS_THAN', priceCents: 400 }, note: 'the average cup' }],
  form: inForms({
    label: 'Price of a cup',
    triedWith: 'place',
    help: 'Compares the average price of the cups in a purchase.',
    fields: { operator: moreOrLessThan, priceCents: { label: 'Price', quantity: 'money' } },
  }),
});
