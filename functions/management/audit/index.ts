import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as exportAuditContract } from './export-audit/contract.ts';
import { handler as exportAudit } from './export-audit/handler.ts';
import { contract as listAuditContract } from './list-audit/contract.ts';
import { handler as listAudit } from './list-audit/handler.ts';

export const handler = resourceHandler([
  [listAuditContract, listAudit],
  [exportAuditContract, exportAudit],
]);
