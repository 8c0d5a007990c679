import { clientEndpoint } from '../../../shared/http/client-endpoint.ts';
import { clientTokenView, userTokensView } from '../../../shared/http/views/token.ts';
import { exchangeGrant, exchangeGrantStores, issueClientToken } from '../../../shared/operations/issue-token.ts';
import { contract } from './contract.ts';

export const handler = clientEndpoint(contract, exchangeGrantStores, async ({ body, caller, deps, refuse }) => {
  const { organisationId, permissions } = caller;
  switch (body.grant_type) {
    case 'client_credentials':
      return clientTokenView(await issueClientToken({ organisationId, permissions, scope: body.scope }, deps));
    case 'authorization_code': {
      const { code, redirect_uri: redirectUri, code_verifier: codeVerifier } = body;
      if (!code) return refuse('invalid_request', 'code is required');
      return userTokensView(
        await exchangeGrant(organisationId, { kind: 'code', code, redirectUri, codeVerifier }, deps),
      );
    }
    case 'refresh_token': {
      const { refresh_token: refreshToken } = body;
      if (!refreshToken) return refuse('invalid_request', 'refresh_token is required');
      return userTokensView(await exchangeGrant(organisationId, { kind: 'refreshToken', refreshToken }, deps));
    }
    default:
      return refuse(
        'unsupported_grant_type',
        'grant_type must be authorization_code, refresh_token or client_credentials',
      );
  }
});
