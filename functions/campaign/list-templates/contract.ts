import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { bearer } from '../../../shared/http/credential-schemes.ts';
import { Cursors, pageQuery } from '../../../shared/http/paging.ts';
import { CampaignTemplate } from '../../../shared/http/views/campaign-template.ts';

export const contract = defineContract({
  host: 'campaign',
  name: 'list-templates',
  method: 'GET',
  path: '/templates',
  summary: "Endpoint 10: list the caller's campaign templates and those that all are offered, with a bearer token.",
  credential: bearer,
  permission: 'templates:read',
  query: z.object(pageQuery),
  data: z.object({ campaigns: z.array(CampaignTemplate), cursor: Cursors }),
  envelope: 'bare',
  errorField: 'error',
  refusals: { invalid_request: 400 },
  access: { table: { organisation: ['Query'], platformKey: ['GetItem', 'PutItem'] } },
});
