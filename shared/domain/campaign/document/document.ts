import * as z from 'zod/mini';
import { Campaign } from './campaign.ts';

/**
 * What a person writes of a campaign. The rest is what the platform gives it: its id and version, whose
 * it is, where it stands.
 */
export const CampaignDocument = z.omit(Campaign, {
  id: true,
  version: true,
  partnershipUuid: true,
  merchantId: true,
  partnerId: true,
  ownerId: true,
  status: true,
  pauses: true,
  isDeleted: true,
  createdAt: true,
  templateId: true,
});
export type CampaignDocument = z.infer<typeof CampaignDocument>;

/** The document of a campaign. */
export function documentOf(campaign: Campaign): CampaignDocument {
  return CampaignDocument.parse(campaign);
}
