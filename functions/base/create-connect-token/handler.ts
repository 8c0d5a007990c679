import { endpoint } from '../../../shared/http/endpoint.ts';
import {
  type ConnectToken,
  createConnectToken,
  createConnectTokenStores,
} from '../../../shared/operations/connect/create-connect-token.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, createConnectTokenStores, ({ body, caller, replyWith, baseUrl }) => {
  const request = {
    organisationId: caller.organisationId,
    user: body.user ?? {},
    partnershipId: body.partnership_id,
    campaignId: body.campaign_id,
    redirectUri: body.redirect_uri,
    state: body.state,
    codeChallenge: body.code_challenge,
  };
  return replyWith(
    ({ token, expiresAt }: ConnectToken) => ({
      connect_token: token,
      connect_url: `${baseUrl}/connect/${token}/page`,
      expires_at: expiresAt,
    }),
    (deps) => createConnectToken(request, deps),
  );
});
