import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { pagingOf } from '../../../../shared/http/paging.ts';
import { templateView } from '../../../../shared/http/views/managed-template.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import { loadOrganisationNames } from '../../../../shared/operations/organisation/find-organisation.ts';
import { Templates } from '../../../../shared/store/campaign/templates.ts';
import { Organisations } from '../../../../shared/store/organisation/organisations.ts';
import { PlatformKeys } from '../../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

const stores = { organisations: Organisations, platformKeys: PlatformKeys, templates: Templates };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { caller, deps } = call;
  const { organisationId } = caller;
  const paging = pagingOf(contract, call);
  const range = await paging.range();
  const [page, nameOf] = await Promise.all([
    deps.templates.offeredTo(organisationId, range),
    loadOrganisationNames([organisationId], deps),
  ]);
  const templates = page.items.map((template) => snakeCased(templateView(template, nameOf(organisationId))));
  return { data: { templates }, cursor: await paging.cursors(page) };
});
