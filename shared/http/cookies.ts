import { toSeconds, validityMs } from '../contracts/limits.ts';
import type { Headers } from './request.ts';

// The cookies of the dashboard. On https their names begin with `__Host-`: a browser takes such a cookie only from the
// host itself, with Secure and Path=/. On http, on a developer's machine, there is neither, because Safari refuses it.

const sessionCookie = 'rw_session';
const loginCookie = 'rw_login';

interface CookieOptions {
  readonly sameSite: 'Strict' | 'Lax';
  /** Absent: the browser keeps the cookie until it is closed. 0 deletes the cookie. */
  readonly maximumAgeSeconds?: number;
}

/** The name of a cookie at a dashboard. */
const nameAt = (dashboardUrl: string, name: string): string => (isSecure(dashboardUrl) ? `__Host-${name}` : name);

const isSecure = (dashboardUrl: string): boolean => dashboardUrl.startsWith('https:');

/** The value of a `Set-Cookie` header. `value` must be URL-safe text. */
function cookieText(
  dashboardUrl: string,
  name: string,
  value: string,
  { sameSite, maximumAgeSeconds }: CookieOptions,
): string {
  return [
    `${nameAt(dashboardUrl, name)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure(dashboardUrl) ? ['Secure'] : []),
    ...(maximumAgeSeconds === undefined ? [] : [`Max-Age=${maximumAgeSeconds}`]),
  ].join('; ');
}

/** The value of a cookie of a request; undefined without it. If it was sent twice, the first value counts. */
function readCookie({ cookie = '' }: Headers, dashboardUrl: string, name: string): string | undefined {
  const start = `${nameAt(dashboardUrl, name)}=`;
  const found = cookie.split(';').find((part) => part.trim().startsWith(start));
  return found?.trim().slice(start.length);
}

/** The text of a session in its cookie. */
export const readSessionCookie = (headers: Headers, dashboardUrl: string): string | undefined =>
  readCookie(headers, dashboardUrl, sessionCookie);

/** The `Set-Cookie` value that begins a session, or ends it if the text is null. */
export const sessionCookieText = (dashboardUrl: string, text: string | null): string =>
  cookieText(dashboardUrl, sessionCookie, text ?? '', {
    sameSite: 'Strict',
    ...(text === null && { maximumAgeSeconds: 0 }),
  });

/** The sealed attempt of a sign-in in its cookie. */
export const readLoginCookie = (headers: Headers, dashboardUrl: string): string | undefined =>
  readCookie(headers, dashboardUrl, loginCookie);

/**
 * The `Set-Cookie` value that begins a sign-in, or ends it if the text is null. The browser sends it when the issuer leads
 * back to the dashboard, which is a request of another site.
 */
export const loginCookieText = (dashboardUrl: string, sealed: string | null): string =>
  cookieText(dashboardUrl, loginCookie, sealed ?? '', {
    sameSite: 'Lax',
    maximumAgeSeconds: sealed === null ? 0 : toSeconds(validityMs.login),
  });
