import type { ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import type { Organisation } from '../../../shared/domain/organisation.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';

/** Every campaign of an organisation that is not deleted, drafts included, the newest first. */
export async function campaignsOf(platform: Platform, { id, kind }: Organisation): Promise<ManagedCampaign[]> {
  const side = kind === 'MERCHANT' ? 'byMerchant' : 'byPartner';
  const [drafts, approved] = await Promise.all([
    platform.campaignRecords.draftsOf(side, id),
    platform.campaigns.approvedOf(side, id),
  ]);
  const ids = [...new Set([...drafts, ...approved].map((campaign) => campaign.id))].sort((one, other) => other - one);
  const found = await Promise.all(ids.map((campaignId) => platform.campaignRecords.find(campaignId)));
  return found.flatMap((campaign) => (campaign && !campaign.record.isDeleted ? [campaign] : []));
}
