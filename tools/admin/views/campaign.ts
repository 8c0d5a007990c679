import { approversOf } from '../../../shared/domain/campaign/authoring/review.ts';
import { type Campaign, documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import { type CampaignDraft, type ManagedCampaign, statusOf } from '../../../shared/domain/campaign/document/record.ts';
import type { Difference } from '../campaigns/difference.ts';
import { type Cell, facts, listed, moment, paragraphs, section, table } from '../cli/text.ts';

/** A campaign for scripts. Its documents are files that can be applied. */
export function campaignView({ record, live }: ManagedCampaign) {
  const { id, revision, partnershipUuid, merchantId, partnerId, ownerId, pausedBy, isDeleted, createdAt } = record;
  return {
    ...{ id, revision, partnershipUuid, merchantId, partnerId, ownerId, pausedBy, isDeleted, createdAt },
    status: statusOf({ record, live }),
    live: live && versionView(live),
    draft: record.draft && draftView(record.draft),
  };
}

const versionView = (campaign: Campaign) => ({
  version: campaign.version,
  status: campaign.status,
  templateId: campaign.templateId,
  document: { id: campaign.id, ...documentOf(campaign) },
});

function draftView({ campaign, approvals, rejection }: CampaignDraft) {
  return {
    ...versionView(campaign),
    approvals,
    missingApprovals: missingOf({ campaign, approvals, rejection }),
    rejection,
  };
}

function missingOf({ campaign, approvals }: CampaignDraft): number[] {
  return approversOf(campaign).filter((id) => !approvals.some(({ organisationId }) => organisationId === id));
}

/** Campaigns for people. */
export function campaignsTable(campaigns: readonly ManagedCampaign[]): string {
  return table(
    ['id', 'name', 'type', 'status', 'version', 'start', 'end', 'next version'],
    campaigns.flatMap((campaign): Cell[][] => {
      const shown = campaign.live ?? campaign.record.draft?.campaign;
      if (!shown) return [];
      const { id, name, type, version, startsAt, endsAt } = shown;
      const next = campaign.live && campaign.record.draft ? campaign.record.draft.campaign.status : null;
      return [[id, name, type, stateOf(campaign), version, moment(startsAt), endsAt && moment(endsAt), next]];
    }),
  );
}

/** The state, in a word or two. */
export const stateOf = (campaign: ManagedCampaign) =>
  campaign.record.isDeleted ? `${statusOf(campaign)}, deleted` : statusOf(campaign);

/** A campaign for people: where it stands and what it says, the document as the file that would make it. */
export function campaignText(campaign: ManagedCampaign, nameOf: (organisationId: number) => string): string {
  const { record, live } = campaign;
  const shown = live ?? record.draft?.campaign;
  const sides = `${nameOf(record.merchantId)} and ${nameOf(record.partnerId)}`;
  return paragraphs(
    facts({
      id: record.id,
      name: shown?.name ?? null,
      state: stateOf(campaign),
      between: sides,
      'made by': nameOf(record.ownerId),
      ...(record.pausedBy !== null && { 'paused by': nameOf(record.pausedBy) }),
      revision: record.revision,
    }),
    ...(live ? [section(`Version ${live.version}, ${live.status}`, documentText(live))] : []),
    ...(record.draft ? [draftText(record.draft, nameOf)] : []),
  );
}

function draftText(draft: CampaignDraft, nameOf: (organisationId: number) => string): string {
  const { campaign, approvals, rejection } = draft;
  const names = (ids: readonly number[]) => (ids.length > 0 ? listed(ids.map(nameOf)) : null);
  return section(
    `Version ${campaign.version}, ${campaign.status}`,
    paragraphs(
      facts({
        'approved by': names(approvals.map(({ organisationId }) => organisationId)),
        'needs the approval of': names(missingOf(draft)),
        ...(rejection && { [`rejected by ${nameOf(rejection.organisationId)}`]: rejection.reason }),
      }),
      documentText(campaign),
    ),
  );
}

export const documentText = (campaign: Campaign) => JSON.stringify(documentOf(campaign), null, 2);

/** Differences for people: a line each. */
export function differencesText(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'nothing';
  return differences.map((one) => `${one.pointer}: ${valueText(one.old)} → ${valueText(one.new)}`).join('\n');
}

const valueText = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Differences for scripts: what is not there is null. */
export const differencesView = (differences: readonly Difference[]) =>
  differences.map((one) => ({ pointer: one.pointer, old: one.old ?? null, new: one.new ?? null }));
