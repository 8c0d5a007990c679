import { connectForm } from '../../../shared/http/connect-flow.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Organisations } from '../../../shared/store/organisation/organisations.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { campaigns: Campaigns, organisations: Organisations },
  ({ params, caller, platform, baseUrl }) =>
    connectForm(caller.session, `${baseUrl}/connect/${params.connect_token}/page`, platform),
);
