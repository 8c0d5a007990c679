import { campaignTypes } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { pagingOf } from '../../../shared/http/paging.ts';
import { listedView } from '../../../shared/http/views/campaign.ts';
import { campaignTypeCodes } from '../../../shared/http/views/campaign-codes.ts';
import { listCampaigns, listCampaignsStores } from '../../../shared/operations/campaign/list-campaigns.ts';
import { PlatformKeys } from '../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { ...listCampaignsStores, platformKeys: PlatformKeys }, async (call) => {
  const { query, caller, deps } = call;
  const codes = query.campaign_types ?? query.campaign_type ?? [];
  const types = new Set(campaignTypes.filter((type) => codes.includes(campaignTypeCodes[type])));
  const paging = pagingOf(contract, call, codes);

  const page = await listCampaigns(caller.organisationId, { types, range: await paging.range() }, deps);
  const now = deps.now();
  const campaigns = page.items.map(({ campaign, totals }) => listedView(campaign, totals, now));
  return { data: { campaigns }, cursor: await paging.cursors(page) };
});
