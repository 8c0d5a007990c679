import { auditFilterOf } from '../../../../shared/http/audit-request.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { exportAudit, listAuditStores } from '../../../../shared/operations/staff/list-audit.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, listAuditStores, async ({ caller, query, deps }) => {
  const filter = auditFilterOf(caller.organisationId, query, deps.now());
  return {
    file_name: `audit-${filter.organisationId}-${filter.month}.csv`,
    csv: await exportAudit(filter, deps),
  };
});
