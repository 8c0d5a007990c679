import * as z from 'zod/mini';
import { maximumBytes, maximumCharacters } from '../../contracts/limits.ts';
import { byteLength } from '../byte-length.ts';
import type { InputFault } from '../errors.ts';
import {
  type Association,
  type Attributes,
  areStorable,
  isStorableName,
  type Location,
  type Member,
  type Membership,
} from '../member/member.ts';

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
  /** Sorted by name. */
  attributes: z.array(RegisteredAttribute),
  /** Sorted by `order`. */
  tiers: z.array(StatusTier),
  /** Increases with every change of an entry; 0 before the first change. */
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
  // Each number has one spelling, because conditions compare texts: 12, but neither 12.0 nor 012.
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

/** Lists some names for a message; "none" if there are none. */
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

/** The `order` of a new tier if none was given: above all other tiers. */
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

/**
 * Finds the faults of a tier that is to be registered. No two tiers of a program have the same name or the same
 * `order`.
 */
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

/** Requests trim texts, so a value that begins or ends with a blank could never be reported. */
function textFaults(path: readonly string[], value: string): InputFault[] {
  const isPlain = value === value.trim() && value.isWellFormed() && text.safeParse(value).success;
  const message = `must have 1 to ${maximumCharacters.text} characters, and no blank at the start or end`;
  return isPlain ? [] : [{ path, code: 'invalid_text', message }];
}

/** Whether a registry can be stored: it is one item of the table. */
export const isStorableRegistry = ({ attributes, tiers }: Registry): boolean =>
  byteLength(JSON.stringify({ attributes, tiers })) <= maximumBytes.registry;

/**
 * What an organisation reports about a member after the link. A merchant reports the attributes and the location of its
 * customer, a partner reports the status tier in its program. A part that is absent stays as it is.
 */
export interface MemberReport {
  /** The new values by name. Attributes that are not named stay. An attribute without values is removed. */
  readonly attributes?: Attributes | undefined;
  readonly location?: Location | undefined;
  /** null: the member has no tier any more. */
  readonly statusTierId?: number | null | undefined;
}

/** The records of a member that an organisation may report about: as its customer, and in its program. */
export interface OwnRecords {
  readonly association: Association | undefined;
  readonly membership: Membership | undefined;
}

/**
 * The records of a member that belong to an organisation. The organisation does not see the records of other
 * organisations.
 */
export function ownRecordsOf({ associations, memberships }: Member, organisationId: number): OwnRecords {
  return {
    association: associations.find(({ merchantId }) => merchantId === organisationId),
    membership: memberships.find(({ partnerId }) => partnerId === organisationId),
  };
}

/** Returns every fault that a report has according to the registry of its organisation, or an empty list. */
export function findReportFaults(report: MemberReport, own: OwnRecords, registry: Registry): InputFault[] {
  const { attributes, location, statusTierId } = report;
  const isMerchant = own.association !== undefined;
  return [
    ...(attributes === undefined
      ? []
      : isMerchant
        ? reportedAttributeFaults(attributes, own, registry)
        : [onlyMerchants('attributes')]),
    ...(location === undefined || isMerchant ? [] : [onlyMerchants('location')]),
    ...(statusTierId === undefined ? [] : reportedTierFaults(statusTierId, own, registry)),
  ];
}

const onlyMerchants = (name: string): InputFault => ({
  path: [name],
  code: 'not_the_merchant',
  message: 'can only be reported by a merchant, about its customers',
});

function reportedAttributeFaults(reported: Attributes, { association }: OwnRecords, registry: Registry): InputFault[] {
  const isSmall = areStorable(mergeAttributes(association?.attributes ?? {}, reported));
  return [
    ...Object.entries(reported).flatMap(([name, values]) => faultsOfAttribute(name, values, registry)),
    ...(isSmall ? [] : [{ path: ['attributes'], code: 'too_big', message: 'are too many, or too large, together' }]),
  ];
}

/** A report may remove an attribute that is not registered: the attribute may be older than the registry. */
function faultsOfAttribute(name: string, values: readonly string[], { attributes }: Registry): InputFault[] {
  if (values.length === 0) return [];
  const path = ['attributes', name];
  const registered = attributes.find((attribute) => attribute.name === name);
  if (!registered) return [{ path, code: 'unknown_attribute', message: 'is not in the registry of attributes' }];
  return values.flatMap((value, position) => {
    const rule = findValueFault(registered, value);
    return rule === undefined ? [] : [{ path: [...path, String(position)], code: 'unknown_value', message: rule }];
  });
}

function reportedTierFaults(id: number | null, { membership }: OwnRecords, { tiers }: Registry): InputFault[] {
  const path = ['partnerStatusTierId'];
  if (!membership) {
    return [{ path, code: 'not_the_partner', message: 'can only be reported by the partner of the program' }];
  }
  if (id === null || tiers.some((tier) => tier.id === id)) return [];
  return [{ path, code: 'unknown_tier', message: `is not in the registry of status tiers: ${tiersInWords(tiers)}` }];
}

/** Returns the records after a report. Values that the report leaves out stay as they are. */
export function applyReport({ attributes, location, statusTierId }: MemberReport, own: OwnRecords): OwnRecords {
  const { association, membership } = own;
  return {
    association: association && {
      ...association,
      ...(location && { location }),
      ...(attributes && { attributes: mergeAttributes(association.attributes ?? {}, attributes) }),
    },
    membership: membership && { ...membership, ...(statusTierId !== undefined && { statusTierId }) },
  };
}

/**
 * Keeps all stored attributes that the report does not name. When there are too many attributes, a link drops some of
 * the stored ones, but a report has a fault.
 */
function mergeAttributes(stored: Attributes, reported: Attributes): Attributes {
  const merged = Object.entries({ ...stored, ...reported });
  return Object.fromEntries(merged.filter(([name, values]) => values.length > 0 || !Object.hasOwn(reported, name)));
}
