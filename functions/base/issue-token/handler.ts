import { clientEndpoint } from '../../../shared/http/client-endpoint.ts';
import { clientTokenView, userTokensView } from '../../../shared/http/views/token.ts';
import {
  exchangeGrant,
  exchangeGrantStores,
  issueClientToken,
} from '../../../shared/operations/connect/issue-token.ts';
import { contract } from './contract.ts';

export const handler = clientEndpoint(contract, exchangeGrantStores, async (call) => {
  const { body, caller, refuse, replyWith } = call;
  const { grant_type: grantType, code, redirect_uri: redirectUri, refresh_token: refreshToken } = body;
  const { organisationId, permissions } = caller;
  if (grantType === 'client_credentials') {
    const request = { organisationId, permissions, scope: body.scope };
    return replyWith(clientTokenView, (replying) => issueClientToken(request, replying));
  }
  const isOfUser = grantType === 'authorization_code' || grantType === 'refresh_token';
  if (isOfUser && !permissions.includes('connect:write')) {
    return refuse('unauthorized_client', `The partner key needs the permission connect:write for ${grantType}`);
  }
  if (grantType === 'authorization_code') {
    if (!code) return refuse('invalid_request', 'code is required');
    const grant = { kind: 'code', code, redirectUri, codeVerifier: body.code_verifier } as const;
    return replyWith(userTokensView, (replying) => exchangeGrant(organisationId, grant, replying));
  }
  if (grantType === 'refresh_token') {
    if (!refreshToken) return refuse('invalid_request', 'refresh_token is required');
    const grant = { kind: 'refreshToken', refreshToken } as const;
    return replyWith(userTokensView, (replying) => exchangeGrant(organisationId, grant, replying));
  }
  return refuse('unsupported_grant_type', 'grant_type must be authorization_code, refresh_token or client_credentials');
});
