import { pathNumber, replyCampaign } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { loadCampaignStores } from '../../../../shared/operations/campaign/load-campaign.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, loadCampaignStores, ({ params, caller, deps }) =>
  replyCampaign(pathNumber(params.id), caller, deps),
);
