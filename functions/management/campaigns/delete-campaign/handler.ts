import { changeSeen, pathNumber } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { deleteCampaign } from '../../../../shared/operations/campaign/change-campaign.ts';
import { loadCampaignStores } from '../../../../shared/operations/campaign/load-campaign.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, loadCampaignStores, async (call) => {
  const { params, revision, caller, deps } = call;
  const campaignId = pathNumber(params.id);
  const act = { campaignId, as: { id: caller.organisationId }, revision };
  await changeSeen(campaignId, caller, () => deleteCampaign(act, withAuthor(contract, call)), deps);
  return { deleted: true as const };
});
