import { findValueFault, namesInWords, type RegisteredAttribute, tiersInWords } from '../../registry/registry.ts';
import { conditionKind, type Flow, multiplierKind } from '../document/campaign.ts';
import { type CampaignFault, type CampaignSettings, fault, type RegistryReference } from '../document/kinds/kind.ts';

/**
 * The entries that a campaign may refer to: the entries of the registries of both sides, and the triggers of the
 * partnership.
 */
export type KnownEntries = Pick<CampaignSettings, 'attributes' | 'tiers' | 'triggers'>;

/** A reference of a part, and the JSON Pointer of the part. */
interface PlacedReference {
  readonly reference: RegistryReference;
  readonly at: string;
}

/**
 * Finds attributes, values and status tiers that flows use although no registry and no trigger defines them. A
 * condition or multiplier that refers to them would hold for no member, or with IS_NOT_IN for every member. Attributes
 * are defined by the merchant's registry or by the fields of the flow's trigger. Status tiers are defined by the
 * partner's registry.
 */
export function findRegistryFaults(flows: readonly Flow[], known: KnownEntries): CampaignFault[] {
  return flows.flatMap((flow, position) => {
    const attributes = [...known.attributes, ...contextAttributes(flow, known)];
    return referencesIn(flow, `/flows/${position}`).flatMap(({ reference, at }) => [
      ...attributeFaults(reference, attributes, at),
      ...tierFaults(reference, known, at),
    ]);
  });
}

function attributeFaults(
  { attribute }: RegistryReference,
  known: readonly RegisteredAttribute[],
  at: string,
): CampaignFault[] {
  if (!attribute) return [];
  const { name, values } = attribute;
  const definitions = known.filter((one) => one.name === name);
  if (definitions.length === 0) {
    const message = `There is no attribute ${name}: the merchant’s registry and the trigger have ${namesInWords(known.map((one) => one.name))}`;
    return [fault(`${at}/name`, 'unknown_attribute', message)];
  }
  return values.flatMap((value, position) => {
    const rules = definitions.map((definition) => findValueFault(definition, value));
    if (rules.includes(undefined)) return [];
    const message = `The attribute ${name} cannot be “${value}”: it ${rules[0]}`;
    return [fault(`${at}/values/${position}`, 'unknown_value', message)];
  });
}

function tierFaults({ tierIds = [] }: RegistryReference, { tiers }: KnownEntries, at: string): CampaignFault[] {
  return tierIds.flatMap((id, position) =>
    tiers.some((tier) => tier.id === id) ? [] : [unknownTier(`${at}/statusTierIds/${position}`, `${id}`, tiers)],
  );
}

/** Builds the fault of a status tier that the partner's registry does not contain. */
export function unknownTier(at: string, named: string, tiers: KnownEntries['tiers']): CampaignFault {
  return fault(at, 'unknown_tier', `The partner has no status tier ${named}: its registry has ${tiersInWords(tiers)}`);
}

function referencesIn({ conditionGroups, multipliers }: Flow, flowAt: string): PlacedReference[] {
  const placed = [
    ...multipliers.map((multiplier, position) => ({
      reference: multiplierKind(multiplier.attribute).refersTo?.(multiplier),
      at: `${flowAt}/multipliers/${position}`,
    })),
    ...conditionGroups.flatMap(({ conditions }, group) =>
      conditions.map((condition, position) => ({
        reference: conditionKind(condition.attribute).refersTo?.(condition),
        at: `${flowAt}/conditionGroups/${group}/conditions/${position}`,
      })),
    ),
  ];
  return placed.flatMap(({ reference, at }) => (reference ? [{ reference, at }] : []));
}

const typeOfField: Readonly<Record<string, RegisteredAttribute['type']>> = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

/** The context fields of the flow's trigger, as attributes. */
export function contextAttributes({ trigger }: Pick<Flow, 'trigger'>, { triggers }: Pick<KnownEntries, 'triggers'>) {
  const own = triggers.filter(({ customTriggerId, event }) =>
    trigger.type === 'CUSTOM'
      ? event === 'CUSTOM' && customTriggerId === trigger.customTriggerId
      : trigger.type === 'REFERRAL' && event === 'REFERRAL',
  );
  return own.flatMap(({ contextSchema }) =>
    Object.entries(contextSchema.fields).map(
      ([name, { type }]): RegisteredAttribute => ({ name, type: typeOfField[type] ?? 'text', values: null }),
    ),
  );
}

/** The registry entries that a campaign uses. */
export interface UsedEntries {
  readonly attributes: ReadonlySet<string>;
  readonly tierIds: ReadonlySet<number>;
}

/**
 * Finds the entries that flows use in the registries of both sides. Fields of a trigger's context are not registry
 * entries.
 */
export function findUsedEntries(flows: readonly Flow[], known: Pick<KnownEntries, 'triggers'>): UsedEntries {
  const attributes = new Set<string>();
  const tierIds = new Set<number>();
  for (const flow of flows) {
    const fields = new Set(contextAttributes(flow, known).map(({ name }) => name));
    for (const { reference } of referencesIn(flow, '')) {
      const { attribute, tierIds: ids = [] } = reference;
      if (attribute && !fields.has(attribute.name)) attributes.add(attribute.name);
      for (const id of ids) tierIds.add(id);
    }
  }
  return { attributes, tierIds };
}
