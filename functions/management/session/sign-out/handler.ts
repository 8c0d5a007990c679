import { sessionCookieText } from '../../../../shared/http/cookies.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { signInSettings } from '../../../../shared/http/sign-in.ts';
import { signOut } from '../../../../shared/operations/staff/sign-in.ts';
import { Sessions } from '../../../../shared/store/staff/sessions.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(
  contract,
  { sessions: Sessions },
  async ({ body, caller, deps, setCookie }) => {
    const { dashboardUrl, openId } = await signInSettings();
    await signOut({ staffId: caller.staffId, digest: caller.scope, isEverywhere: body.everywhere }, deps);

    setCookie(sessionCookieText(dashboardUrl, null));
    return { location: await openId.signOutUrl(`${dashboardUrl}/`) };
  },
);
