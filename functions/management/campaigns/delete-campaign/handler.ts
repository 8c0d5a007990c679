import { actingDeps, changeSeen, pathNumber } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { deleteCampaign } from '../../../../shared/operations/campaign/change-campaign.ts';
import { loadCampaignStores } from '../../../../shared/operations/campaign/load-campaign.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, loadCampaignStores, async ({ params, revision, caller, deps }) => {
  const campaignId = pathNumber(params.id);
  const act = { campaignId, as: { id: caller.organisationId }, revision };
  await changeSeen(campaignId, caller, () => deleteCampaign(act, actingDeps(deps, caller, 'delete campaign')), deps);
  return { deleted: true as const };
});
