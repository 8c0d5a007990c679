import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { auditQuery } from '../../../../shared/http/audit-request.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';

export const contract = defineContract({
  host: 'management',
  name: 'export-audit',
  method: 'GET',
  path: '/organisations/{organisation_id}/audit/export',
  summary: 'Get what people did in an organisation in a month as CSV, 10,000 entries at most, the newest first.',
  credential: staff,
  permission: 'audit:read',
  params: organisationParams,
  query: z.object(auditQuery),
  data: z.object({
    file_name: described('A name for the file.', z.string()),
    csv: described('The content of the file.', z.string()),
  }),
  refusals: {},
  access: { table: { organisationAudit: ['Query'], staff: ['BatchGetItem'] } },
});
