import { invitationIdIn } from '../../../../shared/domain/staff/invitation.ts';
import { loginCookieText, readLoginCookie, sessionCookieText } from '../../../../shared/http/cookies.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { signInSettings } from '../../../../shared/http/sign-in.ts';
import { openAttempt } from '../../../../shared/identity/login-attempt.ts';
import { signIn, signInStores } from '../../../../shared/operations/staff/sign-in.ts';
import { PlatformKeys } from '../../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

const stores = { ...signInStores, platformKeys: PlatformKeys };

export const handler = managementEndpoint(contract, stores, async ({ query, headers, deps, setCookie, refuse }) => {
  const { dashboardUrl, callbackUrl, openId } = await signInSettings();
  // Whatever happens, the attempt is over.
  setCookie(loginCookieText(dashboardUrl, null));
  const attempt = openAttempt(readLoginCookie(headers, dashboardUrl), await deps.platformKeys.validOf('login'), deps);
  if (!attempt) return refuse('sign_in_expired', 'This browser has begun no sign-in in the last ten minutes');

  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { issuer, subject, email, name, authenticatedAt } = await openId.identify(
    new URLSearchParams(parameters),
    attempt,
    callbackUrl,
  );
  const invitationId = invitationIdIn(attempt.returnPath);
  const proven = { identity: { issuer, subject }, verifiedEmail: email, name, authenticatedAt };
  const { text, accepted } = await signIn({ ...proven, invitationId }, deps);

  setCookie(sessionCookieText(dashboardUrl, text));
  // The sign-in of a new person used the invitation up, so its page has nothing to offer any more.
  const isUsedUp = accepted !== null && accepted.id === invitationId;
  return { location: dashboardUrl + (isUsedUp ? '/' : attempt.returnPath) };
});
