import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as acceptInvitationContract } from './accept-invitation/contract.ts';
import { handler as acceptInvitation } from './accept-invitation/handler.ts';
import { contract as getSessionContract } from './get-session/contract.ts';
import { handler as getSession } from './get-session/handler.ts';

export const handler = resourceHandler([
  [getSessionContract, getSession],
  [acceptInvitationContract, acceptInvitation],
]);
