import { endpoint } from '../../../shared/http/endpoint.ts';
import { pagingOf } from '../../../shared/http/paging.ts';
import { templateView } from '../../../shared/http/views/campaign-template.ts';
import { Templates } from '../../../shared/store/campaign/templates.ts';
import { PlatformKeys } from '../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { platformKeys: PlatformKeys, templates: Templates }, async (call) => {
  const paging = pagingOf(contract, call);
  const page = await call.deps.templates.offeredTo(call.caller.organisationId, await paging.range());
  return { campaigns: page.items.map(templateView), cursor: await paging.cursors(page) };
});
