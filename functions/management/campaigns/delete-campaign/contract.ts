import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignChangeAccess, campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { campaignParams } from '../../../../shared/http/views/managed-campaign-schema.ts';

export const contract = defineContract({
  host: 'management',
  name: 'delete-campaign',
  method: 'DELETE',
  path: '/organisations/{organisation_id}/campaigns/{id}',
  summary: 'Delete a draft, or a campaign that has ended.',
  credential: staff,
  permission: 'campaigns:write',
  namesRevision: true,
  params: z.object(campaignParams),
  data: z.object({ deleted: described('Always true.', z.literal(true)) }),
  ...campaignRefusals,
  access: campaignChangeAccess,
});
