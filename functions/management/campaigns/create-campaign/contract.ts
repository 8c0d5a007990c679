import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignChangeAccess, campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { CampaignFile, CampaignReply } from '../../../../shared/http/views/managed-campaign-schema.ts';
import { id, optional, uuid } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'create-campaign',
  method: 'POST',
  path: '/organisations/{organisation_id}/campaigns',
  summary: 'Create a draft: from a document, which may have faults, from a template, or as a copy of a campaign.',
  credential: staff,
  permission: 'campaigns:write',
  params: organisationParams,
  body: z.object({
    partnership_uuid: described('UUID of the partnership, for a document or a template.', optional(uuid)),
    document: optional(CampaignFile),
    template_id: described('Id of a template of your organisation or of the platform.', optional(id)),
    campaign_id: described('Id of the campaign to copy, within its partnership.', optional(id)),
    request_id: described('UUID of the request. Its repetition within a day creates no second draft.', optional(uuid)),
  }),
  data: CampaignReply,
  ...campaignRefusals,
  access: campaignChangeAccess,
});
