import { endpoint } from '../../../shared/http/endpoint.ts';
import { userTokenUserView } from '../../../shared/http/views/user.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, async ({ params, caller, platform, refuse }) => {
  // The token names its user; any other id is somebody else's.
  const member = params.id === String(caller.userId) ? await platform.members.find(caller.userId) : undefined;
  if (!member) return refuse('user_does_not_exist', 'The user does not exist');
  return { user: userTokenUserView(member) };
});
