import * as z from 'zod/mini';
import { maximumBytes, maximumCharacters } from '../../contracts/limits.ts';
import type { InputFault } from '../errors.ts';
import { isStorableName } from '../member/member.ts';

/**
 * The registry of an organisation: the attributes that a merchant reports about its customers, or the status tiers of a
 * partner's program. Campaigns may refer only to entries of the registries of both sides.
 */

/** The types of attributes. Values are stored as texts: a number as JavaScript writes it, a boolean as true or false. */
export const attributeTypes = ['text', 'number', 'boolean'] as const;

const text = z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text));

/** An attribute that a merchant reports. */
export const RegisteredAttribute = z.strictObject({
  name: text,
  type: z.enum(attributeTypes),
  /** The allowed values; null allows every value of the type. */
  values: z.nullable(z.array(text)),
});
export type RegisteredAttribute = z.infer<typeof RegisteredAttribute>;

/** A status tier of a loyalty program. */
export const StatusTier = z.strictObject({
  /** The program's own number of the tier. Members and campaigns refer to it, so the name may change. */
  id: z.int().check(z.gte(1)),
  name: text,
  /** The rank of the tier: 1 is the lowest. */
  order: z.int().check(z.gte(1)),
});
export type StatusTier = z.infer<typeof StatusTier>;

export const Registry = z.object({
  organisationId: z.int(),
  /** By name. */
  attributes: z.array(RegisteredAttribute),
  /** By order. */
  tiers: z.array(StatusTier),
  /** Increases with every change of an entry; 0 before the first one. */
  revision: z.int().check(z.gte(0)),
  /** Increases with every approval of a campaign that refers to an entry. */
  approvals: z.int().check(z.gte(0)),
});
export type Registry = z.infer<typeof Registry>;

/** The registry of an organisation that has registered nothing. */
export const emptyRegistry = (organisationId: number): Registry => ({
  organisationId,
  attributes: [],
  tiers: [],
  revision: 0,
  approvals: 0,
});

const isOfType: Readonly<Record<RegisteredAttribute['type'], (value: string) => boolean>> = {
  text: () => true,
  // One spelling for each number, because conditions compare texts: 12, and neither 12.0 nor 012.
  number: (value) => Number.isFinite(Number(value)) && String(Number(value)) === value,
  boolean: (value) => value === 'true' || value === 'false',
};

const typeInWords: Readonly<Record<RegisteredAttribute['type'], string>> = {
  text: 'a text',
  number: 'a number, such as 12 or 0.5',
  boolean: 'true or false',
};

/** Returns the rule that a value of an attribute violates, as in "has to be true or false"; undefined for a valid value. */
export function findValueFault(
  { type, values }: Pick<RegisteredAttribute, 'type' | 'values'>,
  value: string,
): string | undefined {
  if (values !== null) return values.includes(value) ? undefined : `has to be one of ${namesInWords(values)}`;
  return isOfType[type](value) ? undefined : `has to be ${typeInWords[type]}`;
}

const shownNames = 20;

/** Some names for a message; "none" without a name. */
export function namesInWords(names: readonly string[]): string {
  const more = names.length > shownNames ? `, and ${names.length - shownNames} more` : '';
  return names.length === 0 ? 'none' : names.slice(0, shownNames).join(', ') + more;
}

/** Tiers for a message: `1 (Silver), 2 (Gold)`. */
export const tiersInWords = (tiers: readonly StatusTier[]): string =>
  namesInWords(tiers.map(({ id, name }) => `${id} (${name})`));

/** Finds a tier by its number or its exact name. */
export function findTier(written: string, tiers: readonly StatusTier[]): StatusTier | undefined {
  return tiers.find(({ name }) => name === written) ?? tiers.find(({ id }) => String(id) === written);
}

/** Adds an attribute, or replaces the attribute of the same name. */
export function withAttribute(registry: Registry, attribute: RegisteredAttribute): Registry {
  const others = withoutAttribute(registry, attribute.name).attributes;
  const attributes = [...others, attribute].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { ...registry, attributes };
}

export function withoutAttribute(registry: Registry, name: string): Registry {
  return { ...registry, attributes: registry.attributes.filter((attribute) => attribute.name !== name) };
}

/** Adds a tier, or replaces the tier of the same number. */
export function withTier(registry: Registry, tier: StatusTier): Registry {
  const others = withoutTier(registry, tier.id).tiers;
  return { ...registry, tiers: [...others, tier].sort((one, other) => one.order - other.order) };
}

export function withoutTier(registry: Registry, id: number): Registry {
  return { ...registry, tiers: registry.tiers.filter((tier) => tier.id !== id) };
}

/** The order of a new tier that is given none: above all others. */
export const nextOrder = ({ tiers }: Registry): number => 1 + Math.max(0, ...tiers.map(({ order }) => order));

/** Finds the faults of an attribute that is to be registered. */
export function findAttributeFaults({ name, type, values }: RegisteredAttribute): InputFault[] {
  const path = ['values'];
  return [
    ...textFaults(['name'], name),
    ...(isStorableName(name) ? [] : [{ path: ['name'], code: 'reserved', message: 'is a name that cannot be kept' }]),
    ...(values?.length === 0
      ? [{ path, code: 'too_small', message: 'are none: allow some values, or every value' }]
      : []),
    ...(values ?? []).flatMap((value, position) => {
      const at = [...path, String(position)];
      const rule = findValueFault({ type, values: null }, value);
      return [
        ...textFaults(at, value),
        ...(rule === undefined ? [] : [{ path: at, code: 'invalid_value', message: `is “${value}”, and ${rule}` }]),
        ...(values?.indexOf(value) === position ? [] : [{ path: at, code: 'repeated', message: 'is listed twice' }]),
      ];
    }),
  ];
}

/** Finds the faults of a tier that is to be registered. Names and orders are unique in a program. */
export function findTierFaults(tier: StatusTier, { tiers }: Registry): InputFault[] {
  const others = tiers.filter(({ id }) => id !== tier.id);
  const namesake = others.find(({ name }) => name.toLowerCase() === tier.name.toLowerCase());
  const equal = others.find(({ order }) => order === tier.order);
  return [
    ...(tier.id >= 1 ? [] : [{ path: ['id'], code: 'too_small', message: 'has to be 1 or more' }]),
    ...(tier.order >= 1 ? [] : [{ path: ['order'], code: 'too_small', message: 'has to be 1 or more' }]),
    ...textFaults(['name'], tier.name),
    ...(namesake ? [{ path: ['name'], code: 'repeated', message: `is the name of tier ${namesake.id}` }] : []),
    ...(equal ? [{ path: ['order'], code: 'repeated', message: `is the order of tier ${tiersInWords([equal])}` }] : []),
  ];
}

/** Requests trim texts, so a value with a blank at an end could never be reported. */
function textFaults(path: readonly string[], value: string): InputFault[] {
  const isPlain = value === value.trim() && value.isWellFormed() && text.safeParse(value).success;
  const message = `must have 1 to ${maximumCharacters.text} characters, and no blank at the start or end`;
  return isPlain ? [] : [{ path, code: 'invalid_text', message }];
}

/** Whether a registry can be stored: it is one item of the table. */
export const isStorableRegistry = ({ attributes, tiers }: Registry): boolean =>
  Buffer.byteLength(JSON.stringify({ attributes, tiers })) <= maximumBytes.registry;
