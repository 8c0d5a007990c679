import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { TriggerReply } from '../../../../shared/http/views/managed-partnership.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-triggers',
  method: 'GET',
  path: '/organisations/{organisation_id}/triggers',
  summary: 'List the triggers of your partnerships, each with the campaigns that wait for it.',
  credential: staff,
  permission: 'triggers:read',
  params: organisationParams,
  data: z.object({ triggers: described('The triggers, by name.', z.array(TriggerReply)) }),
  refusals: {},
  access: { table: { partnership: ['Query'] }, indexes: ['byMerchant', 'byPartner'] },
});
