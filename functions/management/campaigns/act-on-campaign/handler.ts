import { InvalidInputError } from '../../../../shared/domain/errors.ts';
import { changeSeen, pathNumber, replyCampaign, requireActPermission } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { actOnCampaign, actOnCampaignStores } from '../../../../shared/operations/campaign/campaign-acts.ts';
import { loadCampaignStores } from '../../../../shared/operations/campaign/load-campaign.ts';
import { contract } from './contract.ts';

const stores = { ...loadCampaignStores, ...actOnCampaignStores };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { params, body, revision, caller, deps } = call;
  const { act: name, reason = '' } = body;
  requireActPermission(caller, name);
  if (name === 'reject' && reason === '') throw new InvalidInputError([reasonMissing]);
  const campaignId = pathNumber(params.id);
  const act = { campaignId, as: { id: caller.organisationId }, revision, reason };
  await changeSeen(campaignId, caller, () => actOnCampaign(name, act, withAuthor(contract, call)), deps);
  return replyCampaign(campaignId, caller, deps);
});

const reasonMissing = {
  path: ['reason'],
  code: 'required',
  message: 'is missing: the authors of the campaign read it',
};
