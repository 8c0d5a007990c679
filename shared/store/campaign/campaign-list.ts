import { organisationPartition } from '../../contracts/table.ts';
import { Campaign, isListed } from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import type { ListSource } from '../table/list-page.ts';
import { defineEntity, type Write } from '../table/table-client.ts';

/**
 * The list of campaigns of each side: one row for each campaign that the side may see. The rows are in the
 * organisation's partition, not in an index, because lists are strongly consistent.
 *
 * A row contains the campaign as lists show it. The only rules in it are the trigger and the first action of the
 * first flow. So a page needs no other items, and a row stays small when a campaign has many rules.
 *
 * The type comes before the date in the sort key. A request names its types. Each type is a query of its own,
 * which reads no superfluous row. The results of the up to four queries are merged.
 */

const prefixOf = (type: Campaign['type']) => `LISTED_CAMPAIGN#${type}#`;

/** Sorts by date of creation, then by id. Ids are padded to one width, so the texts sort like numbers. */
const placeOf = ({ createdAt, id }: Campaign) => `${new Date(createdAt).toISOString()}#${String(id).padStart(16, '0')}`;

const rows = defineEntity(Campaign, (organisationId: number, campaign: Campaign) => ({
  pk: organisationPartition(organisationId),
  sk: prefixOf(campaign.type) + placeOf(campaign),
}));

/** The campaign of a row, without the rules that lists do not show. */
export const parseCampaignRow = rows.parse;

/** The ranges that contain the rows of an organisation's campaigns of some types. */
export function campaignSources(organisationId: number, types: ReadonlySet<Campaign['type']>): ListSource[] {
  return campaignTypes
    .filter((type) => types.has(type))
    .map((type) => ({ partition: organisationPartition(organisationId), prefix: prefixOf(type) }));
}

/**
 * The writes of a campaign's row on both sides; they remove the row of a campaign that is not listed. The type of
 * a campaign that was listed must not change: the row of the old type would remain.
 */
export function campaignRowWrites(campaign: Campaign): Write[] {
  return [campaign.merchantId, campaign.partnerId].map((organisationId): Write => {
    const key = rows.key(organisationId, campaign);
    return isListed(campaign) ? { kind: 'put', item: rows.item(key, abridged(campaign)) } : { kind: 'delete', key };
  });
}

function abridged({ flows, ...campaign }: Campaign): Campaign {
  const first = flows.slice(0, 1).map((flow) => ({
    ...flow,
    actions: flow.actions.slice(0, 1),
    conditionGroups: [],
    multipliers: [],
    limits: [],
  }));
  return { ...campaign, flows: first };
}
