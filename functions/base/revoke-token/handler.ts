import { endpoint } from '../../../shared/http/endpoint.ts';
import { revokeToken, revokeTokenStores } from '../../../shared/operations/revoke-token.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, revokeTokenStores, async ({ body, caller, deps }) => {
  await revokeToken(caller.organisationId, body.token, deps);
  return {};
});
