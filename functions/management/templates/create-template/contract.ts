import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { TemplateReply } from '../../../../shared/http/views/managed-template.ts';
import { id, optional, text } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'create-template',
  method: 'POST',
  path: '/organisations/{organisation_id}/templates',
  summary: 'Create a template of your organisation from a campaign.',
  credential: staff,
  permission: 'templates:write',
  params: organisationParams,
  body: z.object({
    campaign_id: described('Id of the campaign.', id),
    name: described('Name of the template. Without one, it has the name of the campaign.', optional(text())),
  }),
  data: TemplateReply,
  ...campaignRefusals,
  access: {
    table: {
      campaign: ['GetItem', 'BatchGetItem'],
      partnership: ['GetItem'],
      organisation: ['BatchGetItem', 'PutItem'],
      sequence: ['GetItem', 'UpdateItem'],
      staff: ['ConditionCheckItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
