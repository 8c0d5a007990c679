import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { organisationIdParam } from '../../../../shared/http/organisation-request.ts';
import { pathInteger } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'delete-template',
  method: 'DELETE',
  path: '/organisations/{organisation_id}/templates/{id}',
  summary: 'Delete a template of your organisation. Campaigns that were made from it stay.',
  credential: staff,
  permission: 'templates:write',
  params: z.object({ organisation_id: organisationIdParam, id: described('Id of the template.', pathInteger) }),
  data: z.object({ deleted: described('Always true.', z.literal(true)) }),
  ...campaignRefusals,
  access: { table: { organisation: ['DeleteItem'], staff: ['ConditionCheckItem'], organisationAudit: ['PutItem'] } },
});
