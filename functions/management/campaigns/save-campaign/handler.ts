import { changeSeen, pathNumber, replyCampaign } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { loadCampaignStores } from '../../../../shared/operations/campaign/load-campaign.ts';
import { saveDraft, writeCampaignStores } from '../../../../shared/operations/campaign/write-campaign.ts';
import { contract } from './contract.ts';

const stores = { ...writeCampaignStores, ...loadCampaignStores };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { params, body, revision, caller, deps } = call;
  const campaignId = pathNumber(params.id);
  const act = { campaignId, as: { id: caller.organisationId }, revision };
  await changeSeen(campaignId, caller, () => saveDraft(body.document, act, withAuthor(contract, call)), deps);
  return replyCampaign(campaignId, caller, deps);
});
