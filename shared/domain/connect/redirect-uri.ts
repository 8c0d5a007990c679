import { maximumCharacters } from '../../contracts/limits.ts';
import type { InputFault } from '../errors.ts';

type RedirectUriFault = Pick<InputFault, 'code' | 'message'>;

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Returns why a text may not be a redirect URI; undefined when it may. Codes are sent to this URI. So it has to be an
 * absolute https URL that every browser reads alike: without fragment, user name, wildcard, space or backslash. Plain
 * http is for loopback only (RFC 8252, 7.3; RFC 9700, 4.1).
 */
export function redirectUriFault(text: string): RedirectUriFault | undefined {
  if (text.length > maximumCharacters.url) return fault('too_big', `has more than ${maximumCharacters.url} characters`);
  if (!/^[\x21-\x7e]*$/.test(text) || text.includes('\\')) {
    return fault('invalid_character', 'contains a space, a backslash or a character that is not ASCII');
  }
  if (text.includes('*')) return fault('wildcard_not_allowed', 'must not contain a wildcard');
  if (text.includes('#')) return fault('fragment_not_allowed', 'must not have a fragment');

  const [, scheme, authority = ''] = /^(https?):\/\/([^/?]+)/.exec(text) ?? [];
  if (authority.includes('@')) return fault('userinfo_not_allowed', 'must not contain a user name or password');
  const host = authority.replace(/:\d*$/, '').toLowerCase();
  // A host that the URL parser changes, such as an encoded name, would look like one host and lead to another.
  if (scheme === undefined || URL.parse(text)?.hostname !== host) {
    return fault('invalid_url', 'is not an absolute https URL');
  }
  if (scheme === 'https' || loopbackHosts.includes(host)) return undefined;
  return fault('https_required', 'must be https; http is for loopback only (127.0.0.1, [::1], localhost)');
}

const fault = (code: string, message: string): RedirectUriFault => ({ code, message });
