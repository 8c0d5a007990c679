import type { InputFault } from '../errors.ts';
import {
  type Association,
  type Attributes,
  areStorable,
  type Location,
  type Member,
  type Membership,
} from '../member/member.ts';
import { findValueFault, type Registry, tiersInWords } from './registry.ts';

/**
 * What an organisation reports about a member after the link: a merchant the attributes and the location of its
 * customer, a partner the status tier in its program. A part that is absent stays as it is.
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

/** The records of a member that belong to an organisation. Other organisations' records stay unknown to it. */
export function ownRecordsOf({ associations, memberships }: Member, organisationId: number): OwnRecords {
  return {
    association: associations.find(({ merchantId }) => merchantId === organisationId),
    membership: memberships.find(({ partnerId }) => partnerId === organisationId),
  };
}

/** Returns every fault of a report by the registry of its organisation, or an empty list. */
export function findReportFaults(report: MemberReport, own: OwnRecords, registry: Registry): InputFault[] {
  const { attributes, location, statusTierId } = report;
  const isMerchant = own.association !== undefined;
  return [
    ...(attributes === undefined
      ? []
      : isMerchant
        ? attributeFaults(attributes, own, registry)
        : [onlyMerchants('attributes')]),
    ...(location === undefined || isMerchant ? [] : [onlyMerchants('location')]),
    ...(statusTierId === undefined ? [] : tierFaults(statusTierId, own, registry)),
  ];
}

const onlyMerchants = (name: string): InputFault => ({
  path: [name],
  code: 'not_the_merchant',
  message: 'can only be reported by a merchant, about its customers',
});

function attributeFaults(reported: Attributes, { association }: OwnRecords, registry: Registry): InputFault[] {
  const isSmall = areStorable(mergeAttributes(association?.attributes ?? {}, reported));
  return [
    ...Object.entries(reported).flatMap(([name, values]) => faultsOfAttribute(name, values, registry)),
    ...(isSmall ? [] : [{ path: ['attributes'], code: 'too_big', message: 'are too many, or too large, together' }]),
  ];
}

/** The name of an attribute that is removed need not be registered: the attribute may be older than the registry. */
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

function tierFaults(id: number | null, { membership }: OwnRecords, { tiers }: Registry): InputFault[] {
  const path = ['partnerStatusTierId'];
  if (!membership) {
    return [{ path, code: 'not_the_partner', message: 'can only be reported by the partner of the program' }];
  }
  if (id === null || tiers.some((tier) => tier.id === id)) return [];
  return [{ path, code: 'unknown_tier', message: `is not in the registry of status tiers: ${tiersInWords(tiers)}` }];
}

/** Returns the records as a report leaves them. Parts that the report does not change keep their identity. */
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

/** Unlike a link, a report drops no attribute for want of space: too many attributes are a fault. */
function mergeAttributes(stored: Attributes, reported: Attributes): Attributes {
  const merged = Object.entries({ ...stored, ...reported });
  return Object.fromEntries(merged.filter(([name, values]) => values.length > 0 || !Object.hasOwn(reported, name)));
}
