import type { Difference } from '../../../shared/domain/campaign/authoring/difference.ts';
import type { ApprovedVersion, Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import {
  type CampaignDraft,
  type ManagedCampaign,
  statusOf,
} from '../../../shared/domain/campaign/document/campaign.ts';
import { platformOwnerId, type Template } from '../../../shared/domain/campaign/document/template.ts';
import type { CampaignSummary } from '../../../shared/operations/campaign/browse-campaigns.ts';
import type { CampaignDetails } from '../../../shared/operations/campaign/load-campaign.ts';
import { localMoment } from '../cli/moments.ts';
import { type Cell, facts, listed, paragraphs, section, table } from '../cli/text.ts';
import { campaignWords } from '../explain/campaign-words.ts';

/** Campaigns and templates as people read them. Scripts read the views of shared/http/views. */

/** A campaign, as texts for people show it. The next version needs the approval of the organisations in `missing`. */
export interface CampaignForPeople {
  readonly campaign: ManagedCampaign;
  readonly missing: readonly number[];
  readonly nameOf: (organisationId: number) => string;
  /** The time zone of its partnership. */
  readonly timeZone: string;
}

/** A campaign with the names that its sentences need. */
interface DescribedCampaign extends CampaignForPeople {
  readonly names: CampaignDetails['names'];
}

/** A loaded campaign, as texts for people show it. */
export const forPeople = ({ campaign, missing, names, partnership }: CampaignDetails): DescribedCampaign => ({
  ...{ campaign, missing, names },
  nameOf: names.organisation,
  timeZone: partnership.timeZone,
});

type Describing = Pick<DescribedCampaign, 'timeZone' | 'names'>;

const wordsOf = (campaign: Campaign, { timeZone, names }: Describing) =>
  campaignWords(campaign, { timeZone, tierName: names.tier, nameOf: names.organisation });

export function campaignsTable(campaigns: readonly CampaignSummary[], timeZone: string): string {
  return table(
    ['id', 'name', 'type', 'status', 'version', 'start', 'end', 'next version'],
    campaigns.flatMap((campaign): Cell[][] => {
      const shown = campaign.live ?? campaign.record.draft?.campaign;
      if (!shown) return [];
      const { id, name, type, version, startsAt, endsAt } = shown;
      const next = campaign.live && campaign.record.draft ? campaign.record.draft.campaign.status : null;
      const times = [localMoment(startsAt, timeZone), endsAt && localMoment(endsAt, timeZone)];
      return [[id, name, type, stateOf(campaign), version, ...times, next]];
    }),
  );
}

/** `ACTIVE`, or `ENDED, deleted` */
const stateOf = (campaign: ManagedCampaign) =>
  campaign.record.isDeleted ? `${statusOf(campaign)}, deleted` : statusOf(campaign);

/** A campaign with its live version and its draft, each with its document. */
export function campaignText(described: DescribedCampaign): string {
  const { campaign, nameOf } = described;
  const { record, live } = campaign;
  const shown = live ?? record.draft?.campaign;
  const sides = `${nameOf(record.merchantId)} and ${nameOf(record.partnerId)}`;
  return paragraphs(
    facts({
      id: record.id,
      name: shown?.name ?? null,
      state: stateOf(campaign),
      between: sides,
      'created by': nameOf(record.ownerId),
      ...(record.pausedBy !== null && { 'paused by': nameOf(record.pausedBy) }),
      revision: record.revision,
    }),
    ...(live ? [section(`Version ${live.version}, ${live.status}`, wordsOf(live, described))] : []),
    ...(record.draft ? [draftText(record.draft, described)] : []),
  );
}

function draftText(
  { campaign, approvals, rejection }: CampaignDraft,
  { missing, nameOf, ...described }: DescribedCampaign,
): string {
  const names = (ids: readonly number[]) => (ids.length > 0 ? listed(ids.map(nameOf)) : null);
  return section(
    `Version ${campaign.version}, ${campaign.status}`,
    paragraphs(
      facts({
        'approved by': names(approvals.map(({ organisationId }) => organisationId)),
        'needs the approval of': names(missing),
        ...(rejection && { [`rejected by ${nameOf(rejection.organisationId)}`]: rejection.reason }),
      }),
      wordsOf(campaign, described),
    ),
  );
}

/** One line for each difference. */
export function differencesText(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'nothing';
  return differences.map((one) => `${one.pointer}: ${valueText(one.old)} → ${valueText(one.new)}`).join('\n');
}

const valueText = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Differences; a missing value is null. */
export const differencesView = (differences: readonly Difference[]) =>
  differences.map((one) => ({ pointer: one.pointer, old: one.old ?? null, new: one.new ?? null }));

/** The state of a campaign after a command: `Campaign 5 is ACTIVE; version 2 is DRAFT.` */
export function stateText({ campaign, missing, nameOf }: CampaignForPeople): string {
  const { id, draft } = campaign.record;
  const next = campaign.live && draft ? `; version ${draft.campaign.version} is ${draft.campaign.status}` : '';
  const needed = campaign.record.isDeleted ? [] : approvalText({ missing, nameOf });
  return [`Campaign ${id} is ${stateOf(campaign)}${next}.`, ...needed].join(' ');
}

/** `It needs the approval of Skyline Miles.` */
export function approvalText({ missing, nameOf }: Pick<CampaignForPeople, 'missing' | 'nameOf'>): string[] {
  return missing.length > 0 ? [`It needs the approval of ${listed(missing.map(nameOf))}.`] : [];
}

/** `campaign 5 (Spring)` */
export function namedCampaign({ live, record }: ManagedCampaign): string {
  return `campaign ${record.id} (${(live ?? record.draft?.campaign)?.name ?? 'without a name'})`;
}

/** What an organisation may do with a campaign, and why not. */
export const actsTable = (acts: readonly { readonly act: string; readonly reason: string | null }[]): string =>
  table(
    ['act', 'possible'],
    acts.map(({ act, reason }): Cell[] => [act.replaceAll('_', ' '), reason ?? 'yes']),
  );

/** An approved version, with its approvals. */
export function versionText({ campaign, approvals }: ApprovedVersion, described: DescribedCampaign): string {
  const given = approvals.map(({ organisationId, at }) => [
    `approved by ${described.nameOf(organisationId)}`,
    localMoment(at, described.timeZone),
  ]);
  return paragraphs(facts({ version: campaign.version, ...Object.fromEntries(given) }), wordsOf(campaign, described));
}

/** The table of templates. `owner` is the organisation to which they are offered: it has its own, and the platform's. */
export const templatesTable = (templates: readonly Template[], owner: string): string =>
  table(
    ['id', 'name', 'type', 'owner', 'flows'],
    templates.map(({ id, name, type, ownerId, flows }): Cell[] => [
      ...[id, name, type],
      ownerId === platformOwnerId ? 'the platform' : owner,
      flows.length,
    ]),
  );
