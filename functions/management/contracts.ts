import type { ManagementContract } from '../../shared/contracts/contract.ts';
import { contract as actOnCampaign } from './campaigns/act-on-campaign/contract.ts';
import { contract as createCampaign } from './campaigns/create-campaign/contract.ts';
import { contract as deleteCampaign } from './campaigns/delete-campaign/contract.ts';
import { contract as getCampaign } from './campaigns/get-campaign/contract.ts';
import { contract as getVersion } from './campaigns/get-version/contract.ts';
import { contract as listCampaigns } from './campaigns/list-campaigns/contract.ts';
import { contract as saveCampaign } from './campaigns/save-campaign/contract.ts';
import { contract as getSession } from './session/get-session/contract.ts';

/**
 * The contracts of the host that only the dashboard calls, by resource. The contracts of one resource share a Lambda:
 * functions/management/<resource>/index.ts has their handlers (decision 0185).
 */
export const managementResources: Readonly<Record<string, readonly ManagementContract[]>> = {
  campaigns: [listCampaigns, createCampaign, getCampaign, saveCampaign, deleteCampaign, actOnCampaign, getVersion],
  session: [getSession],
};

/** All contracts of the host. */
export const managementContracts: readonly ManagementContract[] = Object.values(managementResources).flat();
