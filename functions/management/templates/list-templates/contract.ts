import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { listReply, pageQuery } from '../../../../shared/http/paging.ts';
import { TemplateReply } from '../../../../shared/http/views/managed-template.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-templates',
  method: 'GET',
  path: '/organisations/{organisation_id}/templates',
  summary: 'List the templates of an organisation and of the platform, the newest first.',
  credential: staff,
  permission: 'campaigns:read',
  params: organisationParams,
  query: z.object(pageQuery),
  data: listReply(z.object({ templates: described('The templates of the page.', z.array(TemplateReply)) })),
  envelope: 'list',
  refusals: { invalid_request: 400 },
  access: { table: { organisation: ['BatchGetItem', 'Query'], platformKey: ['GetItem', 'PutItem'] } },
});
