import * as z from 'zod/mini';
import { type Facts, valuesOf } from '../facts.ts';
import { type FieldForm, inForms, isOrIsNot, type KindForm } from './form.ts';
import {
  type AnyPart,
  attributeName,
  type Kind,
  membership,
  part,
  type RegistryReference,
  statusTierIds,
  texts,
} from './kind.ts';
import { type Phrase, say } from './phrase.ts';

/** The values that a kind of multiplier compares. `Part` is the multiplier without id, owner, operator and factor. */
interface MultiplierTraits<Part> {
  /** The status tiers or texts that the multiplier lists. */
  listed(multiplier: Part): number[] | string[];
  /** Whether the member or the event has one of the listed values. An unknown value counts as not listed. */
  isIn(multiplier: Part, facts: Facts): boolean;
  /** The entries of registries to which the multiplier refers; absent for kinds without such references. */
  refersTo?(multiplier: Part): RegistryReference;
  /** For whom the factor counts, as in "half as much again for Gold". */
  words(phrases: ListedPhrases): Phrase;
}

/** The values of a multiplier as words. */
interface ListedPhrases {
  readonly operator: 'IS_IN' | 'IS_NOT_IN';
  /** `Gold or Silver` */
  readonly listed: Phrase;
  /** The name of the attribute; empty where the multiplier has none. */
  readonly name: Phrase;
}

/** Any kind of multiplier, as evaluation and views use it. */
export interface MultiplierKind extends Kind, MultiplierTraits<AnyPart> {
  readonly form: KindForm;
}

/** Declares a kind of multiplier. It scales the base rate for some members or events. */
function defineMultiplier<const Name extends string, Fields extends z.core.$ZodShape>(
  kind: Kind<Name> &
    MultiplierTraits<z.infer<z.ZodMiniObject<Fields>>> & {
      readonly fields: Fields;
      readonly form: KindForm<Extract<keyof Fields, string> | 'operator' | 'factorBp'>;
    },
) {
  const scaling = {
    ...part,
    operator: membership,
    /** Ten-thousandths: 15000 is one and a half times. */
    factorBp: z.int().check(z.gte(1), z.lte(10_000_000)),
  };
  return { ...kind, schema: z.strictObject({ ...scaling, attribute: z.literal(kind.name), ...kind.fields }) };
}

const factor: FieldForm = inForms({
  label: 'Times as much',
  help: '1.5 gives half as much again, 2 twice as much.',
  quantity: 'factor',
});

/** The member's status tier in the loyalty program. */
export const customerStatus = defineMultiplier({
  name: 'CUSTOMER_STATUS',
  code: 1,
  fields: { statusTierIds },
  listed: ({ statusTierIds: ids }) => ids,
  isIn: ({ statusTierIds: ids }, { statusTierId }) => statusTierId !== null && ids.includes(statusTierId),
  refersTo: ({ statusTierIds: tierIds }) => ({ tierIds }),
  words: ({ operator, listed }) => say`for ${operator === 'IS_IN' ? '' : 'all but '}${listed}`,
  examples: inForms([
    {
      part: { attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2], factorBp: 15_000 },
      note: 'or IS_NOT_IN; or "statusTiers": ["Gold"]',
    },
  ]),
  form: inForms({
    label: 'Status tier',
    triedWith: 'tier',
    help: 'Gives more to members of some status tiers.',
    fields: { operator: isOrIsNot, statusTierIds: { label: 'Tiers', source: 'tiers' }, factorBp: factor },
  }),
});

/** An attribute that the merchant or the event reports. */
export const variable = defineMultiplier({
  name: 'VARIABLE',
  code: 2,
  fields: { name: attributeName, values: texts },
  listed: ({ values }) => values,
  isIn: ({ name, values }, facts) => valuesOf(name, facts).some((value) => values.includes(value)),
  refersTo: ({ name, values }) => ({ attribute: { name, values } }),
  words: ({ operator, listed, name }) => say`if ${name} is ${operator === 'IS_IN' ? '' : 'not '}${listed}`,
  examples: inForms([
    {
      part: { attribute: 'VARIABLE', operator: 'IS_IN', name: 'plan', values: ['yearly'], factorBp: 20_000 },
      note: 'or IS_NOT_IN',
    },
  ]),
  form: inForms({
    label: 'Attribute',
    triedWith: 'attribute',
    help: 'Gives more where the merchant or the event reports a value.',
    fields: {
      name: { label: 'Attribute', source: 'attributes' },
      operator: isOrIsNot,
      values: { label: 'Values', source: 'attributeValues' },
      factorBp: factor,
    },
  }),
});
