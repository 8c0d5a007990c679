import type { Registry } from '../../../shared/domain/registry/registry.ts';
import type { RegistryOverview } from '../../../shared/operations/registry/manage-registry.ts';
import { listed, paragraphs, section, table } from '../cli/text.ts';

/** Registries of attributes and status tiers: `…View` for scripts, the rest for people. */

/** The entries of a registry. */
export function registryView({ attributes, tiers, revision }: Registry) {
  return {
    attributes: attributes.map(({ name, type, values }) => ({ name, type, values })),
    tiers: tiers.map(({ id, name, order }) => ({ id, name, order })),
    revision,
  };
}

/** The attributes of a merchant, and the campaigns that use each. */
export function attributesView({ attributes, missingAttributes }: RegistryOverview) {
  return {
    attributes: attributes.map(({ name, type, values, campaignIds }) => ({ name, type, values, campaignIds })),
    missing: missingAttributes.map(({ name, campaignIds }) => ({ name, campaignIds })),
  };
}

export function attributesText({ organisation, attributes, missingAttributes }: RegistryOverview): string {
  const rows = attributes.map(({ name, type, values, campaignIds }) => [
    ...[name, type, values === null ? 'every value' : values.join(', '), campaignIds.join(', ')],
  ]);
  const entries =
    rows.length > 0
      ? table(['name', 'type', 'values', 'campaigns'], rows)
      : `${organisation.name} has no attributes in its registry.`;
  return withMissing(
    entries,
    missingAttributes.map(({ name, campaignIds }) => ({ name, campaignIds })),
  );
}

/** The status tiers of a program, and the campaigns that use each. */
export function tiersView({ tiers, missingTiers }: RegistryOverview) {
  return {
    tiers: tiers.map(({ id, name, order, campaignIds }) => ({ id, name, order, campaignIds })),
    missing: missingTiers.map(({ id, campaignIds }) => ({ id, campaignIds })),
  };
}

export function tiersText({ organisation, tiers, missingTiers }: RegistryOverview): string {
  const rows = tiers.map(({ id, name, order, campaignIds }) => [order, id, name, campaignIds.join(', ')]);
  const entries =
    rows.length > 0
      ? table(['order', 'id', 'name', 'campaigns'], rows)
      : `${organisation.name} has no status tiers in its registry.`;
  return withMissing(
    entries,
    missingTiers.map(({ id, campaignIds }) => ({ name: String(id), campaignIds })),
  );
}

interface MissingEntry {
  readonly name: string;
  readonly campaignIds: readonly number[];
}

/** Campaigns that were approved before there were registries keep running, but no edit of them can be approved. */
function withMissing(entries: string, missing: readonly MissingEntry[]): string {
  if (missing.length === 0) return entries;
  const lines = missing.map(({ name, campaignIds }) => `${name}: campaign ${listed(campaignIds.map(String))}`);
  return paragraphs(entries, section('Used by campaigns, and not registered:', lines.join('\n')));
}
