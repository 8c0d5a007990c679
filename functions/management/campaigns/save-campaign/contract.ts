import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { campaignChangeAccess, campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { CampaignFile, CampaignReply, campaignParams } from '../../../../shared/http/views/managed-campaign-schema.ts';

export const contract = defineContract({
  host: 'management',
  name: 'save-campaign',
  method: 'PUT',
  path: '/organisations/{organisation_id}/campaigns/{id}',
  summary: 'Save the next version of a campaign, which may have faults. Approvals of it are gone afterwards.',
  credential: staff,
  permission: 'campaigns:write',
  namesRevision: true,
  params: z.object(campaignParams),
  body: z.object({ document: CampaignFile }),
  data: CampaignReply,
  ...campaignRefusals,
  access: campaignChangeAccess,
});
