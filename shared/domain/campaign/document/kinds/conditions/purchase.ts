import * as z from 'zod/mini';
import { Cents } from '../../../../money.ts';
import type { EventFacts, PurchasedItem } from '../../facts.ts';
import { type FieldForm, inForms, isOrIsNot, moreOrLessThan } from '../form.ts';
import {
  type CampaignFault,
  compare,
  comparison,
  defineCondition,
  eventInWords,
  fault,
  faultIf,
  holdsAsBefore,
  isPurchase,
  membership,
  moreOrLess,
  type PartContext,
  texts,
} from '../kind.ts';
import { type Phrase, say } from '../phrase.ts';

/** The amount of the purchase. The condition does not hold when the event spends no money. */
export const basketSize = defineCondition({
  name: 'BASKET_SIZE',
  code: 3,
  unit: 'cents',
  observes: 'event',
  fields: { operator: comparison, amountCents: Cents },
  needed: ({ amountCents }) => amountCents,
  find: ({ operator, amountCents }, facts) => compare(facts.amountCents, operator, amountCents),
  // A refund makes a basket smaller. But a basket that was too large before the refund counts as too large after it.
  holdsAfterRefund: ({ operator, holds, needed }, netCents) =>
    operator === 'GREATER_THAN' ? holds && netCents > Number(needed) : holds,
  words: ({ operator, needed }) => say`the purchase is ${moreOrLess(operator)} ${needed}`,
  faults: (_, context) =>
    faultIf(
      !isPurchase(context),
      fault(context.at, 'no_basket', `Nothing is bought ${eventInWords(context)}: a basket size can never hold`),
    ),
  examples: inForms([
    { part: { attribute: 'BASKET_SIZE', operator: 'LESS_THAN', amountCents: 5_000 }, note: 'or GREATER_THAN' },
  ]),
  form: inForms({
    label: 'Purchase amount',
    help: 'Compares the amount of the purchase that can earn. An equal amount is neither more nor less.',
    fields: { operator: moreOrLessThan, amountCents: { label: 'Amount', quantity: 'money' } },
  }),
});

/** The attributes of an item that conditions can compare. */
const itemAttributes = {
  PRODUCT: ({ productId }: PurchasedItem) => (productId === undefined ? [] : [productId]),
  CATEGORY: ({ category }: PurchasedItem) => (category === undefined ? [] : [category]),
  TAG: ({ tags }: PurchasedItem) => tags,
} as const;
type ItemAttribute = keyof typeof itemAttributes;

const fields = { operator: membership, name: z.enum(['PRODUCT', 'CATEGORY', 'TAG']), values: texts };

interface ItemCondition {
  readonly operator: 'IS_IN' | 'IS_NOT_IN';
  readonly name: ItemAttribute;
  readonly values: readonly string[];
}

const isListed = ({ name, values }: ItemCondition, item: PurchasedItem): boolean =>
  itemAttributes[name](item).some((value) => values.includes(value));

/** The values of the attribute in all items of the purchase, each once; null when the purchase lists no items. */
function valuesIn({ name }: ItemCondition, { items = [] }: EventFacts): string[] | null {
  return items.length === 0 ? null : [...new Set(items.flatMap((item) => itemAttributes[name](item)))];
}

/** The name is an uppercase word of the document. */
const nameInWords = (name: Phrase): Phrase =>
  name.length === 0 ? say`attribute` : name.map((piece) => ({ ...piece, text: piece.text.toLowerCase() }));

/** Fields of both kinds. */
const itemName: FieldForm = inForms({
  label: 'What is compared',
  choices: { PRODUCT: 'product', CATEGORY: 'category', TAG: 'tag' },
});
const itemValues: FieldForm = inForms({ label: 'One of', source: 'shopWords' });

const nothingBought = (context: PartContext): CampaignFault[] =>
  faultIf(
    !isPurchase(context),
    fault(context.at, 'no_items', `Nothing is bought ${eventInWords(context)}: no item can ever match`),
  );

/**
 * Chooses items of the purchase by product, category or tag. Only the chosen items are rewarded. IS_NOT_IN chooses an
 * item without the attribute, IS_IN does not. Without items in the purchase the condition does not hold.
 */
export const item = defineCondition({
  name: 'ITEM',
  code: 6,
  unit: null,
  observes: 'event',
  fields,
  needed: ({ values }) => values,
  chooses: (condition, one) => isListed(condition, one) === (condition.operator === 'IS_IN'),
  find: (condition, facts) => ({
    holds: (facts.items ?? []).some((one) => isListed(condition, one) === (condition.operator === 'IS_IN')),
    actual: valuesIn(condition, facts),
  }),
  // The decision contains the amount of the chosen items. A refund reduces this amount.
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed, name }) =>
    say`an item’s ${nameInWords(name)} ${operator === 'IS_IN' ? 'is' : 'is not'} ${needed}`,
  faults: (_, context) => [
    ...nothingBought(context),
    ...faultIf(
      context.type === 'REDEEM',
      fault(context.at, 'items_of_payment', 'A payment is for the whole purchase: use CONTAINS_ITEM instead of ITEM'),
    ),
  ],
  examples: inForms([
    {
      part: { attribute: 'ITEM', operator: 'IS_IN', name: 'CATEGORY', values: ['coffee'] },
      note: 'EARN only: rewards the matching items only, here those of a category; or PRODUCT, TAG; or IS_NOT_IN',
    },
  ]),
  form: inForms({
    label: 'Only some items',
    triedWith: 'item',
    help: 'Rewards the matching items only. It never holds for a purchase that lists no items.',
    fields: { name: itemName, operator: isOrIsNot, values: itemValues },
  }),
});

/**
 * Whether the purchase contains an item with a listed product, category or tag; with IS_NOT_IN, whether it contains no
 * such item. The flow then rewards the whole purchase. If the purchase lists no items, neither operator holds.
 */
export const containsItem = defineCondition({
  name: 'CONTAINS_ITEM',
  code: 7,
  unit: null,
  observes: 'event',
  fields,
  needed: ({ values }) => values,
  find(condition, facts) {
    const actual = valuesIn(condition, facts);
    const isIn = (facts.items ?? []).some((one) => isListed(condition, one));
    return { holds: actual !== null && isIn === (condition.operator === 'IS_IN'), actual };
  },
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed, name }) =>
    say`the purchase contains ${operator === 'IS_IN' ? 'an' : 'no'} item whose ${nameInWords(name)} is ${needed}`,
  faults: (_, context) => nothingBought(context),
  examples: inForms([
    {
      part: { attribute: 'CONTAINS_ITEM', operator: 'IS_IN', name: 'TAG', values: ['new'] },
      note: 'rewards the whole purchase if an item matches; IS_NOT_IN: if no item matches',
    },
  ]),
  form: inForms({
    label: 'Purchase with an item',
    triedWith: 'item',
    help: 'Rewards the whole purchase if it contains a matching item.',
    fields: {
      operator: {
        label: 'Contains',
        choices: { IS_IN: 'contains an item whose', IS_NOT_IN: 'contains no item whose' },
      },
      name: itemName,
      values: itemValues,
    },
  }),
});
