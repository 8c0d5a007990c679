import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { pagingOf } from '../../../../shared/http/paging.ts';
import { summaryView } from '../../../../shared/http/views/managed-campaign.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import { browseCampaigns, browseCampaignsStores } from '../../../../shared/operations/campaign/browse-campaigns.ts';
import { PlatformKeys } from '../../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

const stores = { ...browseCampaignsStores, platformKeys: PlatformKeys };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { query, caller, deps } = call;
  const { status, type, partnership: partnershipUuid, text, waiting } = query;
  const filter = { status, type, partnershipUuid, text, waiting };
  const paging = pagingOf(contract, call, [filter]);

  const page = await browseCampaigns(caller.organisationId, { filter, range: await paging.range() }, deps);
  const campaigns = page.items.map((campaign) => snakeCased(summaryView(campaign, caller.organisationId)));
  return { data: { campaigns }, cursor: await paging.cursors(page) };
});
