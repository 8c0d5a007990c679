import {
  type ApprovedVersion,
  type Campaign,
  type CampaignDraft,
  type CampaignSignature,
  documentOf,
  type ManagedCampaign,
  measureProgress,
  statusOf,
} from '../../domain/campaign/document/campaign.ts';
import { takesPoints } from '../../domain/campaign/document/kinds/kind.ts';
import { differencesBetween } from '../../domain/campaign/words/differences.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import type { Partnership } from '../../domain/partnership.ts';
import type { CampaignSummary } from '../../operations/campaign/browse-campaigns.ts';
import type { CampaignHistoryPage } from '../../operations/campaign/list-campaign-history.ts';
import type { CampaignDetails, SignatureNames, VersionDetails } from '../../operations/campaign/load-campaign.ts';
import { actViews } from './campaign-acts.ts';

/**
 * Campaigns as their organisations manage them. The command line's `--json` is these views; the management host replies
 * them with names in snake_case.
 */

type NameOf = (organisationId: number) => string;

const named = (id: number, nameOf: NameOf) => ({ id, name: nameOf(id) });

/** A campaign in the list of an organisation. */
export function summaryView(
  { record, live, partnership, totals, missing, faults, nameOf }: CampaignSummary,
  organisationId: number,
) {
  const head = headView({ record, live }, { partnership, totals, missing, nameOf });
  return { ...head, ...waitingView(head, organisationId), faults };
}

const waitingView = ({ isInReview, waitsFor }: ReturnType<typeof headView>, organisationId: number | undefined) => ({
  isWaitingForYou: isInReview && waitsFor.some(({ id }) => id === organisationId),
});

interface Head {
  readonly partnership: Partnership;
  readonly totals: Totals;
  readonly missing: readonly number[];
  readonly nameOf: NameOf;
}

/** What a campaign shows in lists and alone. Live values come before those of the next version. */
function headView(campaign: ManagedCampaign, { partnership, totals, missing, nameOf }: Head) {
  const { record, live } = campaign;
  const { id, revision, partnershipUuid, merchantId, partnerId, ownerId, pausedBy, isDeleted, createdAt } = record;
  const shown = live ?? record.draft?.campaign;
  const { name = '', description = null, logo = null, type = 'EARN', startsAt = null, endsAt = null } = shown ?? {};
  return {
    ...{ id, revision, name, description, logo, type },
    status: statusOf(campaign),
    /** The state of the version that waits beside a live one. */
    nextStatus: live && record.draft ? record.draft.campaign.status : null,
    hasNextVersion: live !== null && record.draft !== null,
    ...{ partnershipUuid, merchantId, partnerId, ownerId, pausedBy, isDeleted, createdAt },
    changedAt: record.changed?.at ?? createdAt,
    partnership: {
      uuid: partnershipUuid,
      name: partnership.name,
      timeZone: partnership.timeZone,
      isActive: partnership.isActive,
      merchant: named(merchantId, nameOf),
      partner: named(partnerId, nameOf),
    },
    ...{ startsAt, endsAt },
    isInReview: record.draft?.campaign.status === 'IN_REVIEW',
    waitsFor: missing.map((organisationId) => named(organisationId, nameOf)),
    points: takesPoints(type) ? totals.redeemedPoints : totals.earnedPoints,
    totals,
    goals: measureProgress(shown?.goals ?? [], totals).map(({ goal: { type: goal, target }, current, isReached }) => ({
      ...{ type: goal, target, current, isReached },
    })),
  };
}

/** A campaign with its versions. The `document` of each can be given to `campaign apply`. */
export function campaignView(details: CampaignDetails) {
  const { campaign, partnership, totals, missing, faults, names, acts, viewer } = details;
  const { record, live } = campaign;
  const head = headView(campaign, { partnership, totals, missing, nameOf: names.organisation });
  return {
    ...head,
    ...waitingView(head, viewer?.organisationId),
    faults: faults.length,
    changed: record.changed ? signatureView(record.changed, details) : null,
    live: live && versionView(live),
    draft: record.draft && draftView(record.draft, details),
    /** Every organisation that a version names, so that sentences can name it too. */
    organisations: details.organisations.map((id) => named(id, names.organisation)),
    acts: actViews(acts, details),
    versions: versionViews(details),
  };
}

const versionView = (campaign: Campaign) => ({
  version: campaign.version,
  status: campaign.status,
  templateId: campaign.templateId,
  document: { id: campaign.id, ...documentOf(campaign) },
});

function draftView({ campaign, approvals, rejection, changed }: CampaignDraft, details: CampaignDetails) {
  const { live } = details.campaign;
  return {
    ...versionView(campaign),
    approvals: approvals.map((one) => signatureView(one, details)),
    missingApprovals: details.missing,
    rejection: rejection && { ...signatureView(rejection, details), reason: rejection.reason },
    changed: changed ? signatureView(changed, details) : null,
    faults: details.faults,
    differences: live ? differencesOf(live, campaign, details) : [],
  };
}

/** Who did something, and when. The people of other organisations have no names here. */
function signatureView(
  { organisationId, operator, staffId, at }: CampaignSignature,
  { viewer, names, personName }: SignatureNames,
) {
  const isOwn = viewer === null || viewer.organisationId === organisationId;
  const person = staffId === undefined ? (viewer === null ? (operator ?? null) : null) : (personName(staffId) ?? null);
  return { organisationId, organisation: named(organisationId, names.organisation), person: isOwn ? person : null, at };
}

/** What organisations did with a campaign. */
export const historyView = ({ items, names }: CampaignHistoryPage) =>
  items.map((entry) => ({
    ...signatureView(entry, names),
    act: entry.act,
    reason: entry.reason ?? null,
    revision: entry.revision,
  }));

/** The approved versions, the newest first, with what each changed. */
function versionViews(details: CampaignDetails) {
  const { versions, earlier } = details;
  return versions.map((version, position) => approvedView(version, versions[position + 1] ?? earlier, details));
}

/** An approved version, and its differences from the version before. */
function approvedView(
  { campaign, approvals }: ApprovedVersion,
  before: ApprovedVersion | undefined,
  details: CampaignDetails,
) {
  return {
    version: campaign.version,
    approvedAt:
      approvals
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? null,
    approvals: approvals.map((one) => signatureView(one, details)),
    differences: before ? differencesOf(before.campaign, campaign, details) : [],
  };
}

/** An approved version with its document. */
export const versionDocumentView = ({ details, version, before }: VersionDetails) => ({
  ...approvedView(version, before, details),
  document: { id: version.campaign.id, ...documentOf(version.campaign) },
});

function differencesOf(before: Campaign, after: Campaign, { campaign, partnership, names }: CampaignDetails) {
  const { merchantId, partnerId } = campaign.record;
  const context = { merchantId, partnerId, names, timeZone: partnership.timeZone };
  return differencesBetween(documentOf(before), documentOf(after), context);
}
