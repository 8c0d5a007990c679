import * as z from 'zod/mini';
import { Campaign } from './campaign.ts';

/** The part of a campaign that a person writes. The platform adds the ids, the sides, the version and the state. */
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
