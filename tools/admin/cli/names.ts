import type { Platform } from '../../../shared/runtime/platform.ts';

/** Names for ids in sentences. The rules of the domain know organisations, campaigns and triggers by their ids only. */

type Names = ReadonlyMap<number, string | undefined>;
type NamesDeps = Pick<Platform, 'organisations' | 'campaignRecords' | 'triggers'>;

/** A word for an organisation, campaign or trigger and its id, without a name behind it. */
const unnamed = /\b(organisation|partner|merchant|campaign|trigger) (\d+)\b(?! \()/g;

type Kind = 'organisation' | 'campaign' | 'trigger';
const kindOf = (word: string): Kind => (word === 'campaign' || word === 'trigger' ? word : 'organisation');

/**
 * Adds names to the ids in a text: `organisation 1` becomes `organisation 1 (Corner Coffee)`.
 *
 * @param partnershipUuids the partnerships whose triggers the text names
 */
export async function withNames(
  text: string,
  deps: NamesDeps,
  partnershipUuids: readonly string[] = [],
): Promise<string> {
  const found = [...text.matchAll(unnamed)].map(([, word = '', id]) => ({ word, id: Number(id) }));
  const ids = Map.groupBy(found, ({ word }) => kindOf(word));
  const idsOf = (kind: Kind) => ids.get(kind)?.map(({ id }) => id) ?? [];
  const [organisations, campaigns, triggers] = await Promise.all([
    loadOrganisationNames(idsOf('organisation'), deps),
    loadCampaignNames(idsOf('campaign'), deps),
    loadTriggerNames(ids.has('trigger') ? partnershipUuids : [], deps),
  ]);
  const names = { organisation: organisations, campaign: campaigns, trigger: triggers };
  return text.replaceAll(unnamed, (whole, word: string, id: string) => {
    const name = names[kindOf(word)].get(Number(id));
    return name === undefined ? whole : `${whole} (${name})`;
  });
}

/** A report whose text is sentences, with names for the ids in them. */
export async function namedReport<Report extends { readonly text: string }>(
  report: Report,
  deps: NamesDeps,
  partnershipUuids: readonly string[] = [],
): Promise<Report> {
  return { ...report, text: await withNames(report.text, deps, partnershipUuids) };
}

async function loadOrganisationNames(ids: readonly number[], { organisations }: NamesDeps): Promise<Names> {
  const found = await organisations.findMany([...new Set(ids)]);
  return new Map(found.map(({ id, name }) => [id, name]));
}

export async function loadCampaignNames(
  ids: readonly number[],
  { campaignRecords }: Pick<NamesDeps, 'campaignRecords'>,
): Promise<Names> {
  const found = await Promise.all([...new Set(ids)].map(async (id) => [id, await campaignRecords.find(id)] as const));
  return new Map(found.map(([id, one]) => [id, (one?.live ?? one?.record.draft?.campaign)?.name]));
}

async function loadTriggerNames(partnershipUuids: readonly string[], { triggers }: NamesDeps): Promise<Names> {
  const found = await Promise.all([...new Set(partnershipUuids)].map((uuid) => triggers.of(uuid)));
  return new Map(found.flat().map(({ customTriggerId, name }) => [customTriggerId, name]));
}
