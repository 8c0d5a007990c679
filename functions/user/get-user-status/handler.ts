import { UserNotFoundError } from '../../../shared/domain/errors.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { userTokenUserView } from '../../../shared/http/views/user.ts';
import { getOwnUser, getUserStores } from '../../../shared/operations/member/get-user.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getUserStores, async ({ params, caller, deps }) => {
  // A user token gives access to its own user only.
  if (params.id !== String(caller.userId)) throw new UserNotFoundError();
  const { member, visible } = await getOwnUser(caller.userId, caller.organisationId, deps);
  return { user: userTokenUserView(member, visible) };
});
