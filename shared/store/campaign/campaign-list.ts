import * as z from 'zod/mini';
import { type Campaign, campaignTypes, isListed } from '../../domain/campaign/document/campaign.ts';
import { organisationPartition } from '../organisation/organisations.ts';
import { defineEntity, type Write } from '../table/items.ts';
import type { ListSource } from '../table/list-page.ts';

/**
 * The list of campaigns of each side: a small row for each campaign that the side may see, in the
 * organisation's own partition and not in an index, because lists are strongly consistent.
 *
 * The type stands in the sort key before the date: a request names the types that it wants, so each is
 * a query of its own that reads nothing in vain, and up to four of them at once are merged. With the
 * types behind the date, a page of a rare type would have to read past all the others.
 */

/** Where a campaign's row is in the list. */
export const CampaignRow = z.object({ campaignId: z.int(), partnershipUuid: z.string() });
export type CampaignRow = z.infer<typeof CampaignRow>;

const prefixOf = (type: Campaign['type']) => `LISTED_CAMPAIGN#${type}#`;

/** By date of creation, then by id: digits of one width, so that text sorts as the number does. */
const placeOf = ({ createdAt, id }: Campaign) => `${new Date(createdAt).toISOString()}#${String(id).padStart(16, '0')}`;

const rows = defineEntity(CampaignRow, (organisationId: number, campaign: Campaign) => ({
  pk: organisationPartition(organisationId),
  sk: prefixOf(campaign.type) + placeOf(campaign),
}));

/** The row of an item of the list. */
export const campaignRowOf = rows.parse;

/** Where the rows of an organisation's campaigns of some types are. */
export function campaignSources(organisationId: number, types: ReadonlySet<Campaign['type']>): ListSource[] {
  return campaignTypes
    .filter((type) => types.has(type))
    .map((type) => ({ partition: organisationPartition(organisationId), prefix: prefixOf(type) }));
}

/**
 * The writes of a campaign's row on both sides, or of its absence. Once a campaign was listed, its type
 * does not change: the row of another type would stay behind.
 */
export function campaignRowWrites(campaign: Campaign): Write[] {
  const row = { campaignId: campaign.id, partnershipUuid: campaign.partnershipUuid };
  return [campaign.merchantId, campaign.partnerId].map((organisationId): Write => {
    const key = rows.key(organisationId, campaign);
    return isListed(campaign) ? { kind: 'put', item: rows.item(key, row) } : { kind: 'delete', key };
  });
}
