import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { partnerKey } from '../../../shared/http/credential-schemes.ts';
import { PartnershipView } from '../../../shared/http/views/partnership.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-partnership',
  method: 'GET',
  path: '/partnerships/{id}',
  summary: 'Endpoint 6: get a partnership by UUID, with a partner key.',
  credential: partnerKey,
  permission: 'partnerships:read',
  params: z.object({ id: z.string() }),
  data: z.object({ partnership: PartnershipView }),
  errorField: 'error',
  refusals: { partnership_does_not_exist: 404 },
  notFound: 'partnership_does_not_exist',
  access: { table: { partnership: ['Query'] } },
});
