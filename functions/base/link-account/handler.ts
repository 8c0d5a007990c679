import { connectEndpoint } from '../../../shared/http/connect-endpoint.ts';
import { linkAccount, linkAccountStores } from '../../../shared/operations/connect/link-account.ts';
import { contract } from './contract.ts';

export const handler = connectEndpoint(contract, linkAccountStores, async ({ body, caller, deps }) => {
  const request = { partnerId: body.partner_id, memberId: body.member_id, proof: body.proof, address: caller.address };
  const { redirectUri, code, state } = await linkAccount(caller.session, request, deps);
  return { redirect_uri: redirectUri, code, state };
});
