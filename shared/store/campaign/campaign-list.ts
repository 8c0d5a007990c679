import { organisationPartition } from '../../contracts/table.ts';
import { partnersOfPoints } from '../../domain/campaign/authoring/approvers.ts';
import { Campaign, type CampaignRecord, isListed } from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import type { ListSource } from '../table/list-page.ts';
import { defineEntity, type Write } from '../table/table-client.ts';

/**
 * The list of campaigns of each side: one row for each campaign that the side may see. The rows are in the
 * organisation's partition, because lists are strongly consistent and indexes are not.
 *
 * A row contains the campaign as lists show it, so a page needs no other items. The only rules in a row are the trigger
 * and the first action of the first flow, so the row of a large campaign is small too.
 *
 * The type comes before the date in the sort key. A request names the types that it wants. One query for each type
 * reads exactly the rows of this type. The results of up to four queries are merged.
 */

const prefixOf = (type: Campaign['type']) => `LISTED_CAMPAIGN#${type}#`;

/** Sorts by date of creation, then by id. Ids are padded to one width, so the texts sort like numbers. */
export const placeOf = ({ createdAt, id }: Pick<Campaign, 'createdAt' | 'id'>) =>
  `${new Date(createdAt).toISOString()}#${String(id).padStart(16, '0')}`;

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
 * The writes of a campaign's rows on both sides. They remove the rows of a campaign that is not listed. The type of a
 * listed campaign must not change, because the row of the old type would remain.
 */
export function campaignRowWrites(campaign: Campaign): Write[] {
  return [campaign.merchantId, campaign.partnerId].map((organisationId): Write => {
    const key = rows.key(organisationId, campaign);
    return isListed(campaign) ? { kind: 'put', item: rows.moved(key, abridged(campaign)) } : { kind: 'delete', key };
  });
}

const reviewPrefix = 'REVIEW#';
const reviews = defineEntity(Campaign, (organisationId: number, id: number) => ({
  pk: organisationPartition(organisationId),
  sk: reviewPrefix + String(id).padStart(16, '0'),
}));

/** The versions in review that wait for an organisation on neither side of the campaign. */
export const reviewSource = (organisationId: number): ListSource => ({
  partition: organisationPartition(organisationId),
  prefix: reviewPrefix,
});
export const parseReviewRow = reviews.parse;

/**
 * The writes of the rows by which other partners find the reviews that wait for them. A transfer moves the points of
 * such partners, although they are on neither side of the campaign.
 */
export function reviewRowWrites(before: CampaignRecord, after: CampaignRecord): Write[] {
  const waiting = new Set(othersWaitedFor(after));
  const over = othersWaitedFor(before).filter((id) => !waiting.has(id));
  return [
    ...[...waiting].flatMap((id): Write[] =>
      after.draft
        ? [{ kind: 'put', item: reviews.moved(reviews.key(id, after.id), abridged(after.draft.campaign)) }]
        : [],
    ),
    ...over.map((id): Write => ({ kind: 'delete', key: reviews.key(id, after.id) })),
  ];
}

function othersWaitedFor({ draft, isDeleted, merchantId, partnerId }: CampaignRecord): number[] {
  if (isDeleted || draft?.campaign.status !== 'IN_REVIEW') return [];
  const given = new Set(draft.approvals.map(({ organisationId }) => organisationId));
  const isOther = (id: number) => id !== merchantId && id !== partnerId && !given.has(id);
  return partnersOfPoints(draft.campaign).filter(isOther);
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
