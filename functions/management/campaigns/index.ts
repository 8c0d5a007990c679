import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as actOnCampaignContract } from './act-on-campaign/contract.ts';
import { handler as actOnCampaign } from './act-on-campaign/handler.ts';
import { contract as createCampaignContract } from './create-campaign/contract.ts';
import { handler as createCampaign } from './create-campaign/handler.ts';
import { contract as deleteCampaignContract } from './delete-campaign/contract.ts';
import { handler as deleteCampaign } from './delete-campaign/handler.ts';
import { contract as getCampaignContract } from './get-campaign/contract.ts';
import { handler as getCampaign } from './get-campaign/handler.ts';
import { contract as getVersionContract } from './get-version/contract.ts';
import { handler as getVersion } from './get-version/handler.ts';
import { contract as listCampaignHistoryContract } from './list-campaign-history/contract.ts';
import { handler as listCampaignHistory } from './list-campaign-history/handler.ts';
import { contract as listCampaignsContract } from './list-campaigns/contract.ts';
import { handler as listCampaigns } from './list-campaigns/handler.ts';
import { contract as saveCampaignContract } from './save-campaign/contract.ts';
import { handler as saveCampaign } from './save-campaign/handler.ts';

export const handler = resourceHandler([
  [listCampaignsContract, listCampaigns],
  [createCampaignContract, createCampaign],
  [getCampaignContract, getCampaign],
  [saveCampaignContract, saveCampaign],
  [deleteCampaignContract, deleteCampaign],
  [actOnCampaignContract, actOnCampaign],
  [listCampaignHistoryContract, listCampaignHistory],
  [getVersionContract, getVersion],
]);
