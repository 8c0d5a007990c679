import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { auditQuery } from '../../../../shared/http/audit-request.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { listReply, pageQuery } from '../../../../shared/http/paging.ts';
import { AuditEntryView } from '../../../../shared/http/views/people.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-audit',
  method: 'GET',
  path: '/organisations/{organisation_id}/audit',
  summary: 'List what people did in an organisation in a month, the newest first.',
  credential: staff,
  permission: 'audit:read',
  params: organisationParams,
  query: z.object({ ...auditQuery, ...pageQuery }),
  data: listReply(
    z.object({ entries: described('The entries of the page, the newest first.', z.array(AuditEntryView)) }),
  ),
  envelope: 'list',
  refusals: {},
  access: {
    table: { organisationAudit: ['Query'], staff: ['BatchGetItem'], platformKey: ['GetItem', 'PutItem'] },
  },
});
