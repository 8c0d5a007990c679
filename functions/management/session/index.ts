import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as acceptInvitationContract } from './accept-invitation/contract.ts';
import { handler as acceptInvitation } from './accept-invitation/handler.ts';
import { contract as finishSignInContract } from './finish-sign-in/contract.ts';
import { handler as finishSignIn } from './finish-sign-in/handler.ts';
import { contract as getSessionContract } from './get-session/contract.ts';
import { handler as getSession } from './get-session/handler.ts';
import { contract as signOutContract } from './sign-out/contract.ts';
import { handler as signOut } from './sign-out/handler.ts';
import { contract as startSignInContract } from './start-sign-in/contract.ts';
import { handler as startSignIn } from './start-sign-in/handler.ts';

export const handler = resourceHandler([
  [getSessionContract, getSession],
  [startSignInContract, startSignIn],
  [signOutContract, signOut],
  [finishSignInContract, finishSignIn],
  [acceptInvitationContract, acceptInvitation],
]);
