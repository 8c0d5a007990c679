import { endpoint } from '../../../shared/http/endpoint.ts';
import { userTokenUserView } from '../../../shared/http/views/user.ts';
import { Members } from '../../../shared/store/members.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { members: Members }, async ({ params, caller, platform, refuse }) => {
  // The token names its user; any other id is somebody else's.
  const member = params.id === String(caller.userId) ? await platform.members.find(caller.userId) : undefined;
  if (!member) return refuse('user_does_not_exist', 'The user does not exist');
  return { user: userTokenUserView(member) };
});
