import { returnPathOf } from '../../../../shared/domain/staff/return-path.ts';
import { loginCookieText } from '../../../../shared/http/cookies.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { signInSettings } from '../../../../shared/http/sign-in.ts';
import { beginAttempt, sealAttempt } from '../../../../shared/identity/login-attempt.ts';
import { PlatformKeys } from '../../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

const stores = { platformKeys: PlatformKeys };

export const handler = managementEndpoint(contract, stores, async ({ query, deps, setCookie }) => {
  const { dashboardUrl, callbackUrl, openId } = await signInSettings();
  const returnPath = returnPathOf(query.return_to);
  const attempt = beginAttempt({ returnPath, reauthenticates: query.prompt === 'login' }, deps);
  const location = await openId.signInUrl(attempt, callbackUrl);

  setCookie(loginCookieText(dashboardUrl, sealAttempt(attempt, await deps.platformKeys.validOf('login'), deps)));
  return { location };
});
