import { missingApprovals, partnersOfPoints } from '../../domain/campaign/authoring/approvers.ts';
import { findDraftFaults } from '../../domain/campaign/authoring/read-document.ts';
import {
  type Campaign,
  type CampaignRecord,
  type CampaignStatus,
  documentOf,
  type ManagedCampaign,
} from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import { ownersOfParts } from '../../domain/campaign/document/tree.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import { isSide, type Partnership } from '../../domain/partnership.ts';
import { emptyRegistry } from '../../domain/registry/registry.ts';
import { placeOf } from '../../store/campaign/campaign-list.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import { type ListPage, type PageRange, pageOf } from '../../store/table/list-page.ts';
import type { Deps } from '../operation.ts';
import { loadOrganisationNames } from '../organisation/find-organisation.ts';
import { findCampaignStores, settingsOf, waiversAmong } from './change-campaign.ts';
import { isVisible } from './load-campaign.ts';

export const browseCampaignsStores = { ...findCampaignStores, organisations: Organisations };
export type BrowseCampaignsDeps = Deps<typeof browseCampaignsStores>;

/** Which campaigns of an organisation to list. Without a criterion, all. */
interface CampaignFilter {
  readonly status?: CampaignStatus | undefined;
  readonly type?: Campaign['type'] | undefined;
  readonly partnershipUuid?: string | undefined;
  /** A part of the name in any case, or the id. */
  readonly text?: string | undefined;
  /** Only campaigns with a review: `you` if the organisation has to approve, and has not. */
  readonly waiting?: 'you' | 'anyone' | undefined;
}

/** A page of the campaigns of an organisation. */
export interface CampaignListRequest {
  readonly filter?: CampaignFilter;
  readonly range: PageRange;
  /** Whether the list contains campaigns of deleted partnerships. */
  readonly withDeletedPartnerships?: boolean;
}

/** A campaign in the list of an organisation. */
export interface CampaignSummary {
  readonly record: CampaignRecord;
  readonly live: Campaign | null;
  readonly partnership: Partnership;
  readonly totals: Totals;
  /** The organisations whose approval the next version needs. */
  readonly missing: readonly number[];
  /** How many faults keep the next version from approval. */
  readonly faults: number;
  readonly nameOf: (organisationId: number) => string;
}

/**
 * Lists the campaigns of an organisation, drafts included, the newest first. Deleted ones are left out. A partner also
 * sees the versions in review that transfer its points and wait for it. Reads twice: the list, and then what belongs to
 * the campaigns of the page. Drafts that were begun in the last second may be missing.
 */
export async function browseCampaigns(
  organisationId: number,
  { filter = {}, range, withDeletedPartnerships = false }: CampaignListRequest,
  deps: BrowseCampaignsDeps,
): Promise<ListPage<CampaignSummary>> {
  const { candidates, partnerships } = await loadCandidates(organisationId, filter, deps);
  const known = new Set(partnerships.map(({ uuid }) => uuid));
  const isWanted = (one: Candidate) =>
    (withDeletedPartnerships || known.has(one.shown.partnershipUuid) || !isSide(organisationId, one.shown)) &&
    matches(one, filter) &&
    (filter.waiting !== 'you' || isWaitingFor(organisationId, one, partnerships));
  const found = candidates.filter(isWanted).sort((one, other) => (placeOf(one.shown) < placeOf(other.shown) ? 1 : -1));
  const page = pageOf(found, ({ shown }) => placeOf(shown), range);
  return { ...page, items: await summarize(organisationId, page.items, deps) };
}

/** A campaign as the list finds it. `live` has the rules of lists only. */
interface Candidate {
  readonly id: number;
  readonly live: Campaign | null;
  readonly draft: Campaign | null;
  /** The organisations that have approved the draft. */
  readonly approvedBy: readonly number[];
  readonly shown: Campaign;
}

async function loadCandidates(organisationId: number, { type }: CampaignFilter, deps: BrowseCampaignsDeps) {
  const types = new Set(campaignTypes.filter((one) => type === undefined || one === type));
  const sides = ['byMerchant', 'byPartner'] as const;
  const [rows, reviews, drafts, partnerships] = await Promise.all([
    deps.campaigns.rowsOf(organisationId, types),
    deps.campaigns.reviewsFor(organisationId),
    Promise.all(sides.map((side) => deps.campaignRecords.draftsOf(side, organisationId))),
    Promise.all(sides.map((side) => deps.partnerships.of(side, organisationId))),
  ]);
  const live = new Map(rows.map((campaign) => [campaign.id, campaign]));
  const drafted = new Map(drafts.flat().map((record) => [record.id, record.draft]));
  const reviewed = new Map(reviews.map((campaign) => [campaign.id, campaign]));
  const ids = new Set([...live.keys(), ...drafted.keys(), ...reviewed.keys()]);
  const candidates = [...ids].flatMap((id): Candidate[] => {
    const found = { live: live.get(id) ?? null, draft: drafted.get(id)?.campaign ?? reviewed.get(id) ?? null };
    const shown = found.live ?? found.draft;
    const approvedBy = drafted.get(id)?.approvals.map((one) => one.organisationId) ?? [];
    return shown ? [{ id, ...found, approvedBy, shown }] : [];
  });
  return { candidates, partnerships: partnerships.flat() };
}

function matches(
  { id, live, draft, shown }: Candidate,
  { status, type, partnershipUuid, text, waiting }: CampaignFilter,
) {
  const wanted = text?.trim().toLowerCase();
  const names = [live?.name, draft?.name].flatMap((name) => name?.toLowerCase() ?? []);
  return (
    (status === undefined || shown.status === status) &&
    (type === undefined || shown.type === type) &&
    (partnershipUuid === undefined || shown.partnershipUuid === partnershipUuid) &&
    (waiting === undefined || draft?.status === 'IN_REVIEW') &&
    (!wanted || String(id) === wanted || names.some((name) => name.includes(wanted)))
  );
}

/** Whether a review waits for the approval of an organisation. */
function isWaitingFor(
  organisationId: number,
  { draft, approvedBy }: Candidate,
  partnerships: readonly Partnership[],
): boolean {
  if (draft?.status !== 'IN_REVIEW') return false;
  // A partner that is on neither side has a row for each review that waits for it, unless it waived its approval.
  if (!isSide(organisationId, draft)) return !isWaived(organisationId, draft, partnerships);
  const waivedBy = new Set(isWaived(draft.partnerId, draft, partnerships) ? [draft.partnerId] : []);
  const approvals = approvedBy.map((id) => ({ organisationId: id, at: draft.createdAt }));
  return missingApprovals({ campaign: draft, approvals }, waivedBy).includes(organisationId);
}

function isWaived(partnerId: number, { merchantId }: Campaign, partnerships: readonly Partnership[]): boolean {
  const between = partnerships.filter((one) => one.partnerId === partnerId && one.merchantId === merchantId);
  return between.length > 0 && between.every(({ partnerApproval }) => partnerApproval === 'not_needed');
}

/** Loads what the campaigns of a page show, in one round of reads. */
async function summarize(
  organisationId: number,
  page: readonly Candidate[],
  deps: BrowseCampaignsDeps,
): Promise<CampaignSummary[]> {
  const byPartnership = Map.groupBy(page, ({ shown }) => shown.partnershipUuid);
  const [records, places, nameOf] = await Promise.all([
    deps.campaignRecords.findMany(page.map(({ id }) => id)),
    Promise.all([...byPartnership].map(([uuid, own]) => loadPlace(uuid, own, deps))),
    loadOrganisationNames(page.flatMap(organisationsOf), deps),
  ]);
  const recordOf = new Map(records.map((record) => [record.id, record]));
  const placeAt = new Map(places.flatMap((place) => (place ? [[place.partnership.uuid, place]] : [])));
  return page.flatMap(({ id, live, shown }) => {
    const record = recordOf.get(id);
    const place = placeAt.get(shown.partnershipUuid);
    if (!record || !place || !isVisible(record, { organisationId })) return [];
    // A version that took effect a moment ago is not in the list of approved campaigns that was read.
    if (!live && !record.draft) return [];
    const { partnership, totals } = place;
    return [
      { record, live, partnership, totals: totals(id), nameOf, ...reviewOf({ record, live }, place, deps.now()) },
    ];
  });
}

/** A partnership, with what the campaigns of a page depend on. */
type CampaignPlace = NonNullable<Awaited<ReturnType<typeof loadPlace>>>;

async function loadPlace(uuid: string, own: readonly Candidate[], deps: BrowseCampaignsDeps) {
  const { merchantId = 0, partnerId = 0 } = own[0]?.shown ?? {};
  const hasDrafts = own.some(({ draft }) => draft);
  const hasTransfers = own.some(({ draft }) => draft?.type === 'TRANSFER');
  const [partnership, totals, triggers, ofMerchant, ofPartner, programs] = await Promise.all([
    deps.partnerships.find(uuid),
    deps.campaigns.totalsOf(
      uuid,
      own.map(({ id }) => id),
    ),
    hasDrafts ? deps.triggers.of(uuid) : [],
    hasDrafts ? deps.registries.find(merchantId) : emptyRegistry(merchantId),
    hasDrafts ? deps.registries.find(partnerId) : emptyRegistry(partnerId),
    hasTransfers ? deps.partnerships.of('byMerchant', merchantId) : [],
  ]);
  return (
    partnership && {
      partnership,
      totals,
      programs,
      settings: settingsOf(partnership, { triggers, programs, ofMerchant, ofPartner }),
    }
  );
}

/** What keeps the next version of a campaign from taking effect. */
function reviewOf(
  campaign: ManagedCampaign,
  { partnership, programs, settings }: CampaignPlace,
  now: Date,
): Pick<CampaignSummary, 'missing' | 'faults'> {
  const { draft } = campaign.record;
  if (!draft) return { missing: [], faults: 0 };
  const waivedBy = new Set(waiversAmong(campaign, partnership, programs).map(({ partnerId }) => partnerId));
  const faults = findDraftFaults(documentOf(draft.campaign), { settings, campaign, now });
  return { missing: missingApprovals(draft, waivedBy), faults: faults.length };
}

const organisationsOf = ({ shown: { merchantId, partnerId }, draft }: Candidate): number[] => [
  ...[merchantId, partnerId],
  ...(draft ? [...ownersOfParts(draft), ...partnersOfPoints(draft)] : []),
];
