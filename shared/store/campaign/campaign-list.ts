import { Campaign, isListed } from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import { organisationPartition } from '../organisation/organisations.ts';
import type { ListSource } from '../table/list-page.ts';
import { defineEntity, type Write } from '../table/table-client.ts';

/**
 * The list of campaigns of each side: one row for each campaign that the side may see. The rows are in the
 * organisation's partition, not in an index, because lists are strongly consistent.
 *
 * A row contains the campaign as lists show it: of the rules only the trigger and the first action of the first
 * flow. So a page is read from its rows alone, and a row stays small when a campaign has many rules.
 *
 * The type comes before the date in the sort key. A request names the types that it wants, and each type is a
 * query of its own that reads no row in vain; the up to four queries are merged.
 */

const prefixOf = (type: Campaign['type']) => `LISTED_CAMPAIGN#${type}#`;

/** By date of creation, then by id: digits of one width, so that text sorts as the number does. */
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
