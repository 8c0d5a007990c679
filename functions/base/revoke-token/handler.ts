import { clientEndpoint } from '../../../shared/http/client-endpoint.ts';
import { revokeToken, revokeTokenStores } from '../../../shared/operations/connect/revoke-token.ts';
import { contract } from './contract.ts';

export const handler = clientEndpoint(contract, revokeTokenStores, async ({ body, caller, deps }) => {
  await revokeToken(caller.organisationId, body.token, deps);
  return {};
});
