import { connectForm } from '../../../shared/http/connect-flow.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, ({ params, caller, platform, baseUrl }) =>
  connectForm(caller.session, `${baseUrl}/connect/${params.connect_token}/page`, platform),
);
