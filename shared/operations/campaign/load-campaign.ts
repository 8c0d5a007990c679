import type { StaffPermission } from '../../contracts/staff-permissions.ts';
import { type CampaignActState, findActs } from '../../domain/campaign/authoring/acts.ts';
import { mayReview, missingApprovals, partnersOfPoints } from '../../domain/campaign/authoring/approvers.ts';
import type { ChangeContext } from '../../domain/campaign/authoring/lifecycle.ts';
import { findDraftFaults } from '../../domain/campaign/authoring/read-document.ts';
import {
  type ApprovedVersion,
  type CampaignRecord,
  type CampaignSignature,
  documentOf,
  type ManagedCampaign,
} from '../../domain/campaign/document/campaign.ts';
import type { CampaignFault, CampaignSettings } from '../../domain/campaign/document/kinds/kind.ts';
import { ownersOfParts } from '../../domain/campaign/document/tree.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import { isSide, type Partnership } from '../../domain/partnership.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import { People } from '../../store/staff/people.ts';
import { SettingsStore } from '../../store/staff/settings.ts';
import { NotFoundError } from '../errors.ts';
import type { Deps } from '../operation.ts';
import { loadOrganisationNames } from '../organisation/find-organisation.ts';
import { campaignSubject, findCampaignStores, settingsOf, waiversAmong } from './change-campaign.ts';

export const loadCampaignStores = {
  ...findCampaignStores,
  organisations: Organisations,
  people: People,
  settings: SettingsStore,
};
export type LoadCampaignDeps = Deps<typeof loadCampaignStores>;

/** The organisation that looks at a campaign, and the person. Operators may look without an organisation. */
export interface CampaignViewer extends Pick<ChangeContext, 'organisationId' | 'operator' | 'staffId'> {
  /** What the person may do; absent for operators, who may do everything. */
  readonly permissions?: readonly StaffPermission[];
}

/** The names that texts about a campaign use in place of ids. */
export interface CampaignNames {
  readonly organisation: (id: number) => string;
  readonly tier: (id: number) => string | undefined;
  readonly trigger: (id: number) => string | undefined;
}

/** What names the organisations and people of signatures, as the viewer may see them. */
export interface SignatureNames {
  /** Null without a viewer. */
  readonly viewer: CampaignViewer | null;
  readonly names: Pick<CampaignNames, 'organisation'>;
  /** The names of the people of the viewer's organisation. */
  readonly personName: (staffId: string) => string | undefined;
}

/** A campaign with everything that its organisations see of it. */
export interface CampaignDetails extends SignatureNames {
  readonly campaign: ManagedCampaign;
  readonly partnership: Partnership;
  /** The approved versions, the newest first, at most {@link shownVersions}. */
  readonly versions: readonly ApprovedVersion[];
  /** The version before the oldest of them, to compare with. */
  readonly earlier: ApprovedVersion | undefined;
  /** The organisations whose approval the next version needs. */
  readonly missing: readonly number[];
  /** The faults that keep the next version from approval. */
  readonly faults: readonly CampaignFault[];
  readonly totals: Totals;
  readonly names: CampaignNames;
  /** The organisations that the campaign names. */
  readonly organisations: readonly number[];
  /** What the viewer's organisation may do; empty without a viewer. */
  readonly acts: readonly CampaignActState[];
}

/** How many versions a campaign shows. */
const shownVersions = 20;

/**
 * Loads a campaign with its versions, faults and missing approvals, and with what an organisation may do with it. Reads
 * twice: the campaign, and then what belongs to it.
 *
 * @throws NotFoundError when there is no such campaign, or when the viewer's organisation may not see it: it is on
 * neither side, and neither the next nor the running version moves its points
 */
export async function loadCampaign(
  id: number,
  viewer: CampaignViewer | null,
  deps: LoadCampaignDeps,
): Promise<CampaignDetails> {
  const found = await deps.campaignRecords.findWithVersions(id, shownVersions + 1);
  const [running] = found?.versions ?? [];
  if (!found || (viewer && !isVisible(found.record, viewer, running))) throw new NotFoundError(campaignSubject(id));
  const { record, versions } = found;
  const surroundings = await loadSurroundings({ record, versions }, viewer, deps);
  const { partnership, settings, live, all, needsFourEyes } = surroundings;
  if (viewer && partnership.isDeleted) throw new NotFoundError(campaignSubject(id));
  const campaign = { record, live };
  const waivedBy = new Set(waiversAmong(campaign, partnership, all).map(({ partnerId }) => partnerId));
  const now = deps.now();
  const faults = record.draft ? findDraftFaults(documentOf(record.draft.campaign), { settings, campaign, now }) : [];
  return {
    ...{ campaign, partnership, faults, viewer },
    versions: versions.slice(0, shownVersions),
    earlier: versions[shownVersions],
    missing: record.draft ? missingApprovals(record.draft, waivedBy) : [],
    totals: surroundings.totals,
    names: surroundings.names,
    organisations: [...organisationsOf(record, versions)],
    personName: surroundings.personName,
    acts: viewer
      ? findActs(campaign, { ...viewer, needsFourEyes, now, waivedBy, faults: faults.length, partnership })
      : [],
  };
}

/**
 * Whether an organisation sees a campaign: as a side of it, or because its next version moves the points of the
 * organisation, or the version that was approved last.
 */
export function isVisible(
  record: CampaignRecord,
  { organisationId }: Pick<CampaignViewer, 'organisationId'>,
  approved?: ApprovedVersion,
): boolean {
  if (record.isDeleted) return false;
  const moving = [record.draft, approved].flatMap((version) => version ?? []);
  return isSide(organisationId, record) || moving.some(({ campaign }) => mayReview(organisationId, campaign));
}

/** Finds the record of a campaign that an organisation may see. @throws NotFoundError */
export async function findVisible(
  id: number,
  viewer: CampaignViewer,
  { campaignRecords }: Pick<LoadCampaignDeps, 'campaignRecords'>,
): Promise<CampaignRecord> {
  const [record] = await campaignRecords.findMany([id]);
  if (!record || !isVisible(record, viewer)) throw new NotFoundError(campaignSubject(id));
  return record;
}

/** An approved version of a campaign, and the version before it. */
export interface VersionDetails {
  readonly details: CampaignDetails;
  readonly version: ApprovedVersion;
  readonly before: ApprovedVersion | undefined;
}

/** Loads an approved version of a campaign. @throws NotFoundError as `loadCampaign`, or when it has no such version */
export async function loadVersion(
  { campaignId, version: number }: { readonly campaignId: number; readonly version: number },
  viewer: CampaignViewer | null,
  deps: LoadCampaignDeps,
): Promise<VersionDetails> {
  const [details, version, before] = await Promise.all([
    loadCampaign(campaignId, viewer, deps),
    deps.campaignRecords.version(campaignId, number),
    deps.campaignRecords.version(campaignId, number - 1),
  ]);
  if (version) return { details, version, before };
  throw new NotFoundError({ kind: 'approved version', id: number }, { within: campaignSubject(campaignId) });
}

interface RecordWithVersions {
  readonly record: CampaignRecord;
  readonly versions: readonly ApprovedVersion[];
}

async function loadSurroundings(
  { record, versions }: RecordWithVersions,
  viewer: CampaignViewer | null,
  deps: LoadCampaignDeps,
) {
  const { id, merchantId, partnerId, partnershipUuid: uuid } = record;
  const type = (record.draft?.campaign ?? versions[0]?.campaign)?.type;
  const [
    live,
    partnership,
    triggers,
    ofMerchant,
    ofPartner,
    all,
    totals,
    organisation,
    personName,
    organisationSettings,
  ] = await Promise.all([
    deps.campaigns.find(uuid, id),
    deps.partnerships.find(uuid),
    deps.triggers.of(uuid),
    deps.registries.find(merchantId),
    deps.registries.find(partnerId),
    type === 'TRANSFER' ? deps.partnerships.of('byMerchant', merchantId) : [],
    deps.campaigns.totalsOf(uuid, [id]),
    loadOrganisationNames(organisationsOf(record, versions), deps),
    loadPersonNames(signaturesOf(record, versions), viewer, deps),
    viewer ? deps.settings.find(viewer.organisationId) : undefined,
  ]);
  if (!partnership) throw new NotFoundError({ kind: 'partnership', id: uuid }, { within: campaignSubject(id) });
  const settings: CampaignSettings = settingsOf(partnership, { triggers, programs: all, ofMerchant, ofPartner });
  const names: CampaignNames = {
    organisation,
    tier: (tierId) => ofPartner.tiers.find((tier) => tier.id === tierId)?.name,
    trigger: (triggerId) => triggers.find((one) => one.customTriggerId === triggerId)?.name,
  };
  return {
    ...{ live: live ?? null, partnership, settings, all, totals: totals(id), names },
    personName,
    needsFourEyes: organisationSettings?.fourEyes ?? false,
  };
}

/** Loads the names of the people who signed. The viewer sees only those of its own organisation. */
export async function loadPersonNames(
  signatures: readonly CampaignSignature[],
  viewer: CampaignViewer | null,
  { people }: Pick<LoadCampaignDeps, 'people'>,
): Promise<SignatureNames['personName']> {
  const ids = signatures.flatMap(({ organisationId, staffId }) =>
    staffId !== undefined && (viewer === null || viewer.organisationId === organisationId) ? [staffId] : [],
  );
  const names = new Map((await people.findMany(ids)).map((one) => [one.id, one.name ?? one.email]));
  return (staffId) => names.get(staffId);
}

function signaturesOf({ draft, changed }: CampaignRecord, versions: readonly ApprovedVersion[]): CampaignSignature[] {
  return [
    ...[changed, draft?.changed, draft?.rejection],
    ...(draft?.approvals ?? []),
    ...versions.flatMap(({ approvals }) => approvals),
  ].flatMap((one) => one ?? []);
}

/** Every organisation that a campaign names. */
function organisationsOf(record: CampaignRecord, versions: readonly ApprovedVersion[]): Set<number> {
  const { merchantId, partnerId, draft } = record;
  const documents = [...(draft ? [draft] : []), ...versions].map(({ campaign }) => campaign);
  return new Set([
    ...[merchantId, partnerId],
    ...signaturesOf(record, versions).map(({ organisationId }) => organisationId),
    ...documents.flatMap((one) => [...ownersOfParts(one), ...partnersOfPoints(one)]),
  ]);
}
