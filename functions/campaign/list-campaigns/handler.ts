import { campaignTypes } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { pagingOf } from '../../../shared/http/paging.ts';
import { listedView } from '../../../shared/http/views/campaign.ts';
import { campaignTypeCodes } from '../../../shared/http/views/campaign-codes.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { PlatformKeys } from '../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { campaigns: Campaigns, platformKeys: PlatformKeys }, async (call) => {
  const { query, caller, platform, refuse } = call;
  const codes = query.campaign_types ?? query.campaign_type ?? [];
  const types = new Set(campaignTypes.filter((type) => codes.includes(campaignTypeCodes[type])));
  const paging = pagingOf(contract, call, codes);

  const range = await paging.range();
  const page = await platform.campaigns.listed(caller.organisationId, types, range);
  const [campaigns, cursor] = await Promise.all([platform.campaigns.withTotals(page.items), paging.cursors(page)]);

  // A later page may be empty by now; only a list that has nothing at all does not exist.
  if (campaigns.length === 0 && page.next === null && !range.position) {
    return refuse('campaign_does_not_exist', 'There is no campaign of these types');
  }
  const now = platform.now();
  return { data: { campaigns: campaigns.map((each) => listedView(each.campaign, each.totals, now)) }, cursor };
});
