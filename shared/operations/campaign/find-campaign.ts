import type { CampaignSettings } from '../../domain/campaign/document/kinds/fault.ts';
import type { ApprovedVersion, ManagedCampaign } from '../../domain/campaign/document/record.ts';
import type { Organisation } from '../../domain/organisation.ts';
import { isSide, type Partnership } from '../../domain/partnership.ts';
import { CampaignRecords } from '../../store/campaign/campaign-records.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import type { Deps } from '../deps.ts';
import { NotASideError, NotFoundError, type Subject } from '../errors.ts';
import { type FindOrganisationDeps, loadOrganisationNames } from '../organisation/find-organisation.ts';

export const findCampaignStores = { campaignRecords: CampaignRecords, campaigns: Campaigns, triggers: Triggers };
export type FindCampaignDeps = Deps<typeof findCampaignStores>;

/** Finds a campaign of any organisation, deleted ones too. @throws NotFoundError */
export async function findCampaign(id: number, { campaignRecords }: FindCampaignDeps): Promise<ManagedCampaign> {
  const campaign = await campaignRecords.find(id);
  if (!campaign) throw new NotFoundError(campaignSubject(id));
  return campaign;
}

/** Loads a campaign with the names of its two organisations. @throws NotFoundError */
export async function loadCampaign(id: number, deps: FindCampaignDeps & FindOrganisationDeps) {
  const campaign = await findCampaign(id, deps);
  const { merchantId, partnerId } = campaign.record;
  return { campaign, nameOf: await loadOrganisationNames([merchantId, partnerId], deps) };
}

/** Finds an approved version of a campaign. @throws NotFoundError */
export async function findApprovedVersion(
  { campaignId, version }: { readonly campaignId: number; readonly version: number },
  deps: FindCampaignDeps,
): Promise<ApprovedVersion> {
  await findCampaign(campaignId, deps);
  const found = await deps.campaignRecords.version(campaignId, version);
  if (found) return found;
  throw new NotFoundError({ kind: 'approved version', id: version }, { within: campaignSubject(campaignId) });
}

/** Returns every campaign of an organisation, drafts included, newest first. Deleted ones are left out. */
export async function listCampaigns(
  { id, kind }: Organisation,
  { campaignRecords, campaigns }: FindCampaignDeps,
): Promise<ManagedCampaign[]> {
  const side = kind === 'MERCHANT' ? 'byMerchant' : 'byPartner';
  const [drafts, approved] = await Promise.all([campaignRecords.draftsOf(side, id), campaigns.approvedOf(side, id)]);
  const ids = [...new Set([...drafts, ...approved].map((campaign) => campaign.id))].sort((one, other) => other - one);
  const found = await Promise.all(ids.map((campaignId) => campaignRecords.find(campaignId)));
  return found.flatMap((campaign) => (campaign && !campaign.record.isDeleted ? [campaign] : []));
}

/**
 * Loads what the rules for campaigns depend on: cashback, programs and triggers of the partnership.
 *
 * @param type the campaign's type, as far as it is known: only a TRANSFER names other programs
 */
export async function loadCampaignSettings(
  { uuid, allowsCashback, merchantId, partnerId }: Partnership,
  type: unknown,
  { triggers, campaigns }: FindCampaignDeps,
): Promise<CampaignSettings> {
  const [ownTriggers, partnerships] = await Promise.all([
    triggers.of(uuid),
    type === 'TRANSFER' ? campaigns.partnershipsOf('byMerchant', merchantId) : [],
  ]);
  return {
    allowsCashback,
    partnerId,
    programs: new Set([partnerId, ...partnerships.map((one) => one.partnerId)]),
    triggers: ownTriggers,
  };
}

/** @throws NotASideError when the organisation is neither the merchant nor the partner */
export function requireSide(sides: Pick<Partnership, 'merchantId' | 'partnerId'>, organisationId: number): void {
  if (!isSide(organisationId, sides)) throw new NotASideError(organisationId);
}

export const campaignSubject = (id: number): Subject => ({ kind: 'campaign', id });
