import { endpoint } from '../../../shared/http/endpoint.ts';
import { grantClientCredentials } from './client-credentials.ts';
import { contract } from './contract.ts';
import { exchangeGrant } from './exchange-grant.ts';
import { tokenStores } from './token-call.ts';

export const handler = endpoint(contract, tokenStores, async (call) => {
  switch (call.body.grant_type) {
    case 'client_credentials':
      return grantClientCredentials(call);
    case 'authorization_code':
    case 'refresh_token':
      return exchangeGrant(call, call.body.grant_type);
    default:
      return call.refuse(
        'unsupported_grant_type',
        'grant_type must be authorization_code, refresh_token or client_credentials',
      );
  }
});
