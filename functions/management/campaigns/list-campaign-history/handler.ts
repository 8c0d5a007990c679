import { pathNumber, viewerOf } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { pagingOf } from '../../../../shared/http/paging.ts';
import { historyView } from '../../../../shared/http/views/managed-campaign.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import {
  listCampaignHistory,
  listCampaignHistoryStores,
} from '../../../../shared/operations/campaign/list-campaign-history.ts';
import { PlatformKeys } from '../../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

const stores = { ...listCampaignHistoryStores, platformKeys: PlatformKeys };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { params, caller, deps } = call;
  const campaignId = pathNumber(params.id);
  const paging = pagingOf(contract, call, [campaignId]);
  const request = { viewer: viewerOf(caller), range: await paging.range() };
  const page = await listCampaignHistory(campaignId, request, deps);
  return { data: { acts: snakeCased(historyView(page)) }, cursor: await paging.cursors(page) };
});
