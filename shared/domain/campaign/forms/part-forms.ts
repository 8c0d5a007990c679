import type * as z from 'zod/mini';
import { Goal } from '../document/campaign.ts';
import { FlowTrigger, isByDollar } from '../document/facts.ts';
import type { FieldForm, KindForm, QuantityName, TriedFact } from '../document/kinds/form.ts';
import type { AnyPart, CampaignFault, CampaignSettings, CampaignType, PartContext } from '../document/kinds/kind.ts';
import {
  actionKinds,
  conditionKinds,
  goalKinds,
  limitKinds,
  multiplierKinds,
  triggerKinds,
} from '../document/kinds/registry.ts';
import type { Names } from '../words/flow-sentence.ts';
import { type Choice, choicesFrom } from './choices.ts';
import { writeQuantity } from './quantities.ts';
import { type FieldSchema, readSchema } from './read-schema.ts';

/** The forms of campaign parts, made from the schemas and the words of their kinds. */

/** A kind, as forms use it. */
interface FormKind {
  readonly name: string;
  readonly form: KindForm;
  readonly schema: { readonly shape: Readonly<Record<string, z.ZodMiniType>> };
  readonly examples: readonly { readonly part: AnyPart }[];
  readonly campaignTypes?: readonly CampaignType[];
  faults?(part: AnyPart, context: PartContext): CampaignFault[];
}

/** One sort of part: the field that names the kind, and the kinds. */
interface Family {
  readonly field: 'attribute' | 'kind' | 'type';
  kinds(): readonly FormKind[];
}

const families: Readonly<Record<PartSort, Family>> = {
  trigger: { field: 'type', kinds: () => triggerKinds },
  actions: { field: 'kind', kinds: () => actionKinds },
  conditions: { field: 'attribute', kinds: () => conditionKinds },
  multipliers: { field: 'attribute', kinds: () => multiplierKinds },
  limits: { field: 'kind', kinds: () => limitKinds },
  goals: { field: 'type', kinds: () => goalKinds.map((kind) => ({ ...kind, schema: Goal })) },
};

/** The sorts of parts, by the names of their lists in a document. */
export type PartSort = 'trigger' | 'actions' | 'conditions' | 'multipliers' | 'limits' | 'goals';

/** How a person fills in a field. */
type Input =
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | { readonly kind: 'quantity'; readonly quantity: QuantityName; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'number'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'text'; readonly minimum: number; readonly maximum: number }
  | {
      /** Several values. */
      readonly kind: 'chips';
      readonly choices: readonly Choice[];
      /** Whether other values may be typed. */
      readonly isOpen: boolean;
      readonly of: 'number' | 'text';
      readonly maximum: number;
    }
  | { readonly kind: 'switch' };

/** A field of a form. */
export interface FormField {
  /** The name of the field in the document. */
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly input: Input;
  readonly isOptional: boolean;
  /** The value that counts when the field is left out. */
  readonly initial: unknown;
}

/** The form of one part. */
export interface PartForm {
  readonly kind: string;
  readonly label: string;
  readonly help: string;
  readonly fields: readonly FormField[];
}

/** The campaign, its partnership and the flow around a part. */
export interface PartFormContext {
  readonly type: CampaignType;
  /** The trigger as it is written; undefined for goals. */
  readonly trigger: unknown;
  readonly settings: CampaignSettings;
  readonly names: Names;
}

/** The field of a sort of parts that names the kind: `attribute` for conditions. */
export const kindFieldOf = (sort: PartSort): string => families[sort].field;

/** The form of a part; undefined if it has no known kind. */
export function formOfPart(sort: PartSort, part: AnyPart, context: PartFormContext): PartForm | undefined {
  const kind = findKind(sort, part);
  if (!kind) return undefined;
  const { help, fields } = kind.form;
  const trigger = triggerIn(sort, part, context);
  const shown = Object.entries(fields).filter(
    ([name, field]) =>
      part[name] !== undefined ||
      trigger === undefined ||
      field.isShown?.({ type: context.type, isByDollar: isByDollar(trigger) }) !== false,
  );
  return {
    kind: kind.name,
    label: labelIn(kind, context),
    help,
    fields: shown.map(([name, form]) => fieldOf(name, form, kind, part, context)),
  };
}

const findKind = (sort: PartSort, part: AnyPart): FormKind | undefined =>
  families[sort].kinds().find(({ name }) => name === part[families[sort].field]);

/** The fact that an imagined event needs so that a part can be tried; undefined when it needs none. */
export const triedWith = (sort: PartSort, part: AnyPart): TriedFact | undefined => findKind(sort, part)?.form.triedWith;

/** The sort of the parts in a list of a document; undefined for lists of flows and groups. */
export const sortOfList = (name: string): PartSort | undefined =>
  isSort(name) && name !== 'trigger' ? name : undefined;

const isSort = (name: string): name is PartSort => Object.hasOwn(families, name);

/** The first kind of a sort that campaigns of a type can have: nearly every campaign begins with it. */
export const firstKind = (sort: PartSort, type: CampaignType): string | undefined =>
  families[sort].kinds().find(({ campaignTypes }) => campaignTypes?.includes(type) !== false)?.name;

/** The trigger around a part. For a trigger, the trigger itself. */
function triggerIn(sort: PartSort, part: AnyPart, { trigger }: PartFormContext): FlowTrigger | undefined {
  return FlowTrigger.safeParse(sort === 'trigger' ? part : trigger).data;
}

function fieldOf(name: string, form: FieldForm, kind: FormKind, part: AnyPart, context: PartFormContext): FormField {
  const schema = kind.schema.shape[name];
  if (!schema) throw new RangeError(`The form of ${kind.name} has a field ${name}, and its schema has not`);
  const read = readSchema(schema);
  // Of fields that count in some flows only, the one that counts is needed.
  const isOptional = read.isOptional && form.isShown === undefined;
  return {
    name,
    label: form.label,
    help: form.help,
    input: inputOf(name, form, read, part, context),
    isOptional,
    initial: read.initial,
  };
}

/** Makes the input of a field. Types and bounds come from its schema, words and choices from its form. */
function inputOf(name: string, form: FieldForm, schema: FieldSchema, part: AnyPart, context: PartFormContext): Input {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, element } = schema;
  const { data: trigger } = FlowTrigger.safeParse(context.trigger);
  const { settings, names } = context;
  const found = form.source && choicesFrom[form.source]({ part, trigger, settings, names });
  if (schema.type === 'list') {
    const choices = withWritten(found?.choices ?? wordsOf(form, element?.values ?? []), part[name]);
    const of = element?.type === 'integer' ? 'number' : 'text';
    return { kind: 'chips', choices, isOpen: found?.isOpen ?? false, of, maximum };
  }
  if (found && !found.isOpen) return { kind: 'choice', choices: withWritten(found.choices, part[name]) };
  switch (schema.type) {
    case 'choice':
      return { kind: 'choice', choices: wordsOf(form, schema.values ?? []) };
    case 'integer':
      return { kind: 'quantity', quantity: quantityOf(form, part), minimum, maximum };
    case 'number':
      return { kind: 'number', minimum: schema.minimum ?? -Number.MAX_VALUE, maximum };
    case 'boolean':
      return { kind: 'switch' };
    case 'text':
      return { kind: 'text', minimum, maximum };
  }
}

/** Adds the written values that are no choices any more: people see what the file says, and its fault. */
function withWritten(choices: readonly Choice[], written: unknown): readonly Choice[] {
  const values = (Array.isArray(written) ? written : [written]).filter(
    (value): value is Choice['value'] => typeof value === 'string' || typeof value === 'number',
  );
  const unknown = values.filter((value) => !choices.some((choice) => choice.value === value));
  return [...choices, ...unknown.map((value) => ({ value, label: String(value) }))];
}

const wordsOf = ({ choices = {} }: FieldForm, values: readonly (string | number)[]): Choice[] =>
  values.map((value) => ({ value, label: choices[value] ?? String(value) }));

function quantityOf({ quantity = 'count' }: FieldForm, part: AnyPart): QuantityName {
  return typeof quantity === 'function' ? quantity(part) : quantity;
}

/**
 * The words for a number beyond its bounds, as people write it: `has to be at most 10,000 points`. Undefined for other
 * faults: schemas count in the small units of documents.
 */
export function boundInWords(code: string | undefined, input: Input | undefined): string | undefined {
  if (input?.kind !== 'quantity') return undefined;
  if (code === 'too_big') return `has to be at most ${writeQuantity(input.maximum, input.quantity)}`;
  return code === 'too_small' ? `has to be at least ${writeQuantity(input.minimum, input.quantity)}` : undefined;
}

/** A kind that a person may choose. */
export interface KindChoice {
  readonly kind: string;
  readonly label: string;
  readonly help: string;
  /** Why parts of the kind have no effect here; undefined when they may be added. */
  readonly reason: string | undefined;
}

/** The kinds of a sort for a campaign and a flow. Kinds of other campaign types are left out. */
export function kindChoices(sort: PartSort, context: PartFormContext): KindChoice[] {
  return families[sort]
    .kinds()
    .filter(({ campaignTypes }: FormKind) => campaignTypes?.includes(context.type) !== false)
    .map((kind) => ({
      kind: kind.name,
      label: labelIn(kind, context),
      help: kind.form.help,
      reason: reasonAgainst(kind, context),
    }));
}

const labelIn = ({ form }: FormKind, { type }: PartFormContext): string => form.labels?.[type] ?? form.label;

/**
 * Why no part of a kind has an effect in a flow: the fault of the kind's own example that concerns the whole part. Faults
 * of single fields depend on what a person writes.
 */
function reasonAgainst(kind: FormKind, { type, trigger, settings }: PartFormContext): string | undefined {
  const { data: begin } = FlowTrigger.safeParse(trigger);
  if (!begin || !kind.faults) return undefined;
  const found = kind.examples.map(({ part }) => kind.faults?.(part, { type, trigger: begin, settings, at: '' }) ?? []);
  const isWhole = ({ pointer }: CampaignFault) => pointer === '' || pointer === '/kind';
  const faults = found.map((ofExample) => ofExample.find(isWhole));
  return faults.every((one) => one !== undefined) ? faults[0]?.message : undefined;
}

/** A new part of a kind, with the first of each choice that its schema fixes; everything else is left to fill in. */
export function newPart(sort: PartSort, name: string): AnyPart {
  const kind = findKind(sort, { [families[sort].field]: name });
  if (!kind) throw new RangeError(`There is no kind ${name} of ${sort}`);
  const chosen = Object.keys(kind.form.fields).flatMap((field): [string, unknown][] => {
    const { type, values = [], isOptional } = readSchema(kind.schema.shape[field] ?? Goal.shape.target);
    return type === 'choice' && !isOptional ? [[field, values[0]]] : [];
  });
  return { [families[sort].field]: name, ...Object.fromEntries(chosen) };
}
