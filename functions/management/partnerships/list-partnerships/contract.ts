import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { PartnershipReply } from '../../../../shared/http/views/managed-partnership.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-partnerships',
  method: 'GET',
  path: '/organisations/{organisation_id}/partnerships',
  summary: 'List your partnerships, with what the author of a campaign may choose in each.',
  credential: staff,
  permission: 'campaigns:read',
  params: organisationParams,
  data: z.object({ partnerships: described('The partnerships, by name.', z.array(PartnershipReply)) }),
  refusals: {},
  access: {
    table: { organisation: ['GetItem', 'BatchGetItem'], partnership: ['Query'] },
    indexes: ['byMerchant', 'byPartner'],
  },
});
