import { auditFilterOf } from '../../../../shared/http/audit-request.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { pagingOf } from '../../../../shared/http/paging.ts';
import { auditEntryView } from '../../../../shared/http/views/people.ts';
import { listAudit, listAuditStores } from '../../../../shared/operations/staff/list-audit.ts';
import { PlatformKeys } from '../../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(
  contract,
  { ...listAuditStores, platformKeys: PlatformKeys },
  async (call) => {
    const { caller, query, deps } = call;
    const filter = auditFilterOf(caller.organisationId, query, deps.now());
    const paging = pagingOf(contract, call, [filter.month, filter.staffId, filter.act, filter.outcome]);
    const page = await listAudit(filter, await paging.range(), deps);
    return { data: { entries: page.items.map(auditEntryView) }, cursor: await paging.cursors(page) };
  },
);
