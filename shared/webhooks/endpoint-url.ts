import { isIP } from 'node:net';
import { forbiddenAddressReason } from './address.ts';

/** The endpoints that a stage allows in addition to public ones over https. */
export interface EndpointPolicy {
  /**
   * Host names and addresses that may be private and may use plain http on any port, such as a development receiver on
   * loopback. Empty on the stages that partners use.
   */
  readonly httpHosts: readonly string[];
}

type EndpointUrlFault =
  | 'invalid_url'
  | 'https_required'
  | 'port_not_allowed'
  | 'userinfo_not_allowed'
  | 'fragment_not_allowed'
  | 'host_not_allowed';

/** The normalized URL of an endpoint, or why it is not allowed. */
export type CheckedEndpointUrl =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly code: EndpointUrlFault; readonly message: string };

/** The empty port is 443, the default of https. */
const allowedPorts = ['', '8443'];

/** Domains that are never public (RFC 6761, RFC 6762, RFC 8375, RFC 7686; cloud-internal zones). */
const privateSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];

/** A domain name with at least two labels, as URL normalizes it, without the final dot. */
const domainName = /^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/;

/** The host of a URL without brackets and final dot, as resolvers and sockets write it. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Whether the stage's configuration names the host. The rules on scheme, port and address do not apply to such a host.
 */
export function isTrustedHost(host: string, { httpHosts }: EndpointPolicy): boolean {
  return httpHosts.includes(host);
}

/**
 * Checks the text of an endpoint's URL. The addresses are checked later, at each connection (guarded-lookup.ts),
 * because DNS records change.
 */
export function checkEndpointUrl(text: string, policy: EndpointPolicy): CheckedEndpointUrl {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) return refuse('invalid_url', 'is not an https URL');
  if (url.username || url.password) return refuse('userinfo_not_allowed', 'must not contain a user name or password');
  if (text.includes('#')) return refuse('fragment_not_allowed', 'must not have a fragment');
  if (isTrustedHost(bareHost(url), policy)) return { allowed: true, url };

  if (url.protocol !== 'https:') return refuse('https_required', 'must be https');
  if (!allowedPorts.includes(url.port)) return refuse('port_not_allowed', 'must have port 443 or 8443');

  const hostFault = forbiddenHostReason(bareHost(url));
  return hostFault ? refuse('host_not_allowed', `must be a public host: ${hostFault}`) : { allowed: true, url };
}

function forbiddenHostReason(host: string): string | undefined {
  // URL has normalized every spelling of an address (octal, hexadecimal, one number, full-width).
  if (isIP(host) !== 0) return forbiddenAddressReason(host);
  if (!host.includes('.')) return 'a name without a domain';
  // For example two final dots, after which URL no longer recognizes an address.
  if (!domainName.test(host)) return 'not a domain name';

  return privateSuffixes.some((suffix) => `.${host}`.endsWith(`.${suffix}`)) ? 'a private domain' : undefined;
}

function refuse(code: EndpointUrlFault, message: string): CheckedEndpointUrl {
  return { allowed: false, code, message };
}
