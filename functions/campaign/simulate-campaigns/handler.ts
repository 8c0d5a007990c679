import { endpoint } from '../../../shared/http/endpoint.ts';
import { simulationView } from '../../../shared/http/views/simulation.ts';
import { simulateCampaigns, simulateCampaignsStores } from '../../../shared/operations/campaign/simulate-campaigns.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, simulateCampaignsStores, async ({ body, caller, deps }) => {
  const { organisationId, permissions } = caller;
  const { at, simulations } = await simulateCampaigns({ ...body, organisationId }, deps);
  const viewer = { seesMembers: permissions.includes('users:read') };
  return { simulated_at: at.toISOString(), campaigns: simulations.map((each) => simulationView(each, viewer)) };
});
