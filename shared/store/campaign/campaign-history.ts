import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { campaignActNames } from '../../domain/campaign/authoring/acts.ts';
import { CampaignSignature } from '../../domain/campaign/document/campaign.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

/** What organisations do with a campaign; `create` begins its history. */
export const campaignEntryActs = ['create', ...campaignActNames] as const;

/** One act of an organisation on a campaign. Entries never change. */
const CampaignEntry = z.extend(CampaignSignature, {
  /** The revision of the campaign after the act. */
  revision: z.int(),
  act: z.enum(campaignEntryActs),
  /** Why a version was rejected. */
  reason: z.optional(z.string()),
});
export type CampaignEntry = z.infer<typeof CampaignEntry>;

const partition = (campaignId: number) => `${partitions.campaign}${campaignId}`;
const prefix = 'ACT#';
/** Pads revisions to one width, so the texts sort like numbers. */
const entries = defineEntity(CampaignEntry, (campaignId: number, revision: number) => ({
  pk: partition(campaignId),
  sk: prefix + String(revision).padStart(9, '0'),
}));

/** What the organisations of a campaign did with it. */
export class CampaignHistory extends Repository {
  /** The entries of a campaign, the newest first. */
  async of(campaignId: number, range: PageRange): Promise<ListPage<CampaignEntry>> {
    const page = await readPage(this.table, [{ partition: partition(campaignId), prefix }], range);
    return { ...page, items: page.items.map(entries.parse) };
  }
}

/** The write of an entry, for the DynamoDB transaction that writes the act. */
export const campaignEntryWrite = (campaignId: number, entry: CampaignEntry): Write => ({
  kind: 'put',
  item: entries.item(entries.key(campaignId, entry.revision), entry),
  when: isNew,
});
