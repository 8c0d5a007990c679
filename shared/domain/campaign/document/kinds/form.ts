import type { AnyPart, CampaignType } from './base.ts';

/**
 * How people see a kind of part when they fill it in. Types, bounds, defaults and allowed values are those of the
 * kind's schema; a form adds the words. Bundles of functions leave all forms out (tools/build/descriptions.ts).
 */

/** How people write a whole number: quantities.ts has the decimals and signs of each. */
export type QuantityName =
  | 'count'
  | 'days'
  | 'dollarsPerPoint'
  | 'factor'
  | 'money'
  | 'percent'
  | 'points'
  | 'pointsPerDollar'
  | 'pointsPerPoint'
  | 'times';

/** Where the choices of a field come from. */
export type ChoiceSource =
  /** Countries by their codes, and any city of the United States. */
  | 'places'
  /** The status tiers of the partner’s program. */
  | 'tiers'
  /** The attributes of the merchant’s registry and of the flow’s trigger. */
  | 'attributes'
  /** The values of the attribute that the part names. */
  | 'attributeValues'
  /** Words of the merchant’s own shop: products, categories and tags. */
  | 'shopWords'
  /** The programs whose points the merchant’s campaigns may move. */
  | 'programs'
  /** The active custom triggers of the partnership. */
  | 'triggers'
  /** The amounts in the context of the flow’s trigger. */
  | 'amountFields';

/** The campaign and the flow around a part. */
interface FormContext {
  readonly type: CampaignType;
  /** Whether the flow rewards an amount of money. */
  readonly isByDollar: boolean;
}

/** One field of a form. */
export interface FieldForm {
  /** The name of the field in words, as in `Points per $1`. */
  readonly label: string;
  readonly help?: string;
  /** How people write the number; by default as a plain number. It may depend on other fields of the part. */
  readonly quantity?: QuantityName | ((part: AnyPart) => QuantityName);
  readonly source?: ChoiceSource;
  /** The words for each value that the schema allows. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Whether the field counts in a flow; by default in every flow. */
  isShown?(context: FormContext): boolean;
}

/**
 * What an imagined event has to say so that a part can be tried: a place, a status tier, the money spent before, the time
 * since connecting, an item, or the attribute that the part names.
 */
export type TriedFact = 'attribute' | 'item' | 'place' | 'tier' | 'time' | 'total';

/** The form of a kind of part, or of the fields of a document. */
export interface KindForm<Field extends string = string> {
  /** The name in words, as in a list of kinds: `Basket size`. */
  readonly label: string;
  /** The name in campaigns of some types, where the kind means something else. */
  readonly labels?: Readonly<Partial<Record<CampaignType, string>>>;
  /** One sentence about what the part does. */
  readonly help: string;
  /** The fact on which the part depends, beside the event and its amount. */
  readonly triedWith?: TriedFact;
  /** In the order in which people fill them in. */
  readonly fields: Readonly<Record<Field, FieldForm>>;
}

/** Marks what only forms and the help of files show. Bundles of functions leave the argument out. */
export const inForms = <Form>(form: Form): Form => form;

/** The words of the two operators that compare with a list. */
export const isOrIsNot: FieldForm = inForms({ label: 'Is or is not', choices: { IS_IN: 'is', IS_NOT_IN: 'is not' } });

/** The words of the two operators that compare amounts. */
export const moreOrLessThan: FieldForm = inForms({
  label: 'More or less',
  choices: { GREATER_THAN: 'more than', LESS_THAN: 'less than' },
});
