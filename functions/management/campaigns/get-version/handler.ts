import { pathNumber, viewerOf } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { versionDocumentView } from '../../../../shared/http/views/managed-campaign.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import { loadCampaignStores, loadVersion } from '../../../../shared/operations/campaign/load-campaign.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, loadCampaignStores, async ({ params, caller, deps }) => {
  const of = { campaignId: pathNumber(params.id), version: pathNumber(params.version) };
  return snakeCased(versionDocumentView(await loadVersion(of, viewerOf(caller), deps)));
});
