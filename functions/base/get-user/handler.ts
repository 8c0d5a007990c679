import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnerKeyUserView } from '../../../shared/http/views/user.ts';
import { getUser, getUserStores } from '../../../shared/operations/member/get-user.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getUserStores, async ({ params, caller, deps }) => {
  const { member, visible } = await getUser(params.id, caller.organisationId, deps);
  return { user: partnerKeyUserView(member, visible) };
});
