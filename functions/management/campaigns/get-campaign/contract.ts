import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { CampaignReply, campaignParams } from '../../../../shared/http/views/managed-campaign-schema.ts';

export const contract = defineContract({
  host: 'management',
  name: 'get-campaign',
  method: 'GET',
  path: '/organisations/{organisation_id}/campaigns/{id}',
  summary: 'Get a campaign with its running and its next version, and with what you may do with it.',
  credential: staff,
  permission: 'campaigns:read',
  params: z.object(campaignParams),
  data: CampaignReply,
  ...campaignRefusals,
  access: {
    table: {
      campaign: ['GetItem', 'Query'],
      partnership: ['GetItem', 'Query'],
      organisation: ['GetItem', 'BatchGetItem'],
      staff: ['BatchGetItem'],
    },
    indexes: ['byMerchant'],
  },
});
