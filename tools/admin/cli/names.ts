import type { Platform } from '../../../shared/runtime/platform.ts';

/** Names for ids in sentences. The rules of the domain know organisations and campaigns by their ids only. */

type Names = ReadonlyMap<number, string | undefined>;
type NamesDeps = Pick<Platform, 'organisations' | 'campaignRecords'>;

/** A word for an organisation or campaign and its id, without a name behind it. */
const unnamed = /\b(organisation|partner|merchant|campaign) (\d+)\b(?! \()/g;

const isCampaign = (word: string) => word === 'campaign';

/** Adds names to the ids in a text: `organisation 1` becomes `organisation 1 (Corner Coffee)`. */
export async function withNames(text: string, deps: NamesDeps): Promise<string> {
  const found = [...text.matchAll(unnamed)].map(([, word = '', id]) => ({ word, id: Number(id) }));
  const [organisations, campaigns] = await Promise.all([
    loadOrganisationNames(
      found.filter(({ word }) => !isCampaign(word)).map(({ id }) => id),
      deps,
    ),
    loadCampaignNames(
      found.filter(({ word }) => isCampaign(word)).map(({ id }) => id),
      deps,
    ),
  ]);
  return text.replaceAll(unnamed, (whole, word: string, id: string) => {
    const name = (isCampaign(word) ? campaigns : organisations).get(Number(id));
    return name === undefined ? whole : `${whole} (${name})`;
  });
}

/** A report whose text is sentences, with names for the ids in them. */
export async function namedReport<Report extends { readonly text: string }>(
  report: Report,
  deps: NamesDeps,
): Promise<Report> {
  return { ...report, text: await withNames(report.text, deps) };
}

async function loadOrganisationNames(ids: readonly number[], { organisations }: NamesDeps): Promise<Names> {
  const found = await organisations.findMany([...new Set(ids)]);
  return new Map(found.map(({ id, name }) => [id, name]));
}

async function loadCampaignNames(ids: readonly number[], { campaignRecords }: NamesDeps): Promise<Names> {
  const found = await Promise.all([...new Set(ids)].map(async (id) => [id, await campaignRecords.find(id)] as const));
  return new Map(found.map(([id, one]) => [id, (one?.live ?? one?.record.draft?.campaign)?.name]));
}
