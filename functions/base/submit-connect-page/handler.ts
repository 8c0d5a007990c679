import { connectEndpoint } from '../../../shared/http/connect-endpoint.ts';
import { connectForm, offeredPage } from '../../../shared/http/connect-page.ts';
import {
  isTryAgain,
  linkAccount,
  linkAccountStores,
  listLinkable,
} from '../../../shared/operations/connect/link-account.ts';
import { contract } from './contract.ts';

export const handler = connectEndpoint(contract, linkAccountStores, async ({ params, body, caller, deps, baseUrl }) => {
  const { session, address } = caller;
  const request = { partnerId: Number(body.partner_id), memberId: body.member_id, proof: body.proof, address };
  try {
    const { redirectUri } = await linkAccount(session, request, deps);
    return offeredPage(redirectUri);
  } catch (error) {
    if (!isTryAgain(error)) throw error;
    const action = `${baseUrl}/connect/${params.connect_token}/page`;
    return connectForm({ session, action, problem: error.message, ...(await listLinkable(session, deps)) });
  }
});
