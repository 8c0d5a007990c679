import { isIP } from 'node:net';
import { forbiddenAddressReason } from './address.ts';

/** Which endpoints a stage lets deliveries go to, beyond public ones over https. */
export interface EndpointPolicy {
  /**
   * Host names and addresses that may be plain http, on any port and not public: a development
   * receiver on loopback. Empty on stages that partners see.
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

/** An endpoint's URL in its one spelling, or why it may not be one. */
export type CheckedEndpointUrl =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly code: EndpointUrlFault; readonly message: string };

/** Empty is 443: URL leaves out the port that a scheme implies. */
const allowedPorts = ['', '8443'];

/** Names that never lead to the public Internet (RFC 6761, RFC 6762, RFC 8375, RFC 7686; cloud-internal zones). */
const privateSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];

/** The host of a URL as resolvers and sockets spell it: no brackets, no final dot. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Whether the stage's configuration names the host, which lifts the rules on scheme, port and address. */
export function isTrustedHost(host: string, { httpHosts }: EndpointPolicy): boolean {
  return httpHosts.includes(host);
}

/**
 * Checks a URL that is to receive deliveries. Only what the text alone tells: names are resolved, and
 * what they resolve to is checked, at each connection (guarded-lookup.ts), for records change.
 */
export function checkEndpointUrl(text: string, policy: EndpointPolicy): CheckedEndpointUrl {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) return refuse('invalid_url', 'is not an https URL');
  if (url.username || url.password) return refuse('userinfo_not_allowed', 'must not hold a user name or password');
  if (text.includes('#')) return refuse('fragment_not_allowed', 'must not have a fragment');
  if (isTrustedHost(bareHost(url), policy)) return { allowed: true, url };

  if (url.protocol !== 'https:') return refuse('https_required', 'must be https');
  if (!allowedPorts.includes(url.port)) return refuse('port_not_allowed', 'must have port 443 or 8443');

  const hostFault = forbiddenHostReason(bareHost(url));
  return hostFault ? refuse('host_not_allowed', `must be a public host: ${hostFault}`) : { allowed: true, url };
}

function forbiddenHostReason(host: string): string | undefined {
  // URL has brought every spelling of an address (octal, hexadecimal, one number, full-width) to one.
  if (isIP(host) !== 0) return forbiddenAddressReason(host);
  if (!host.includes('.')) return 'a name without a domain';

  return privateSuffixes.some((suffix) => host.endsWith(`.${suffix}`)) ? 'a private domain' : undefined;
}

function refuse(code: EndpointUrlFault, message: string): CheckedEndpointUrl {
  return { allowed: false, code, message };
}
