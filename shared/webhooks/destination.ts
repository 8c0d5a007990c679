import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { maximumAttempts, webhookMs } from '../contracts/limits.ts';
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
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Whether the stage's configuration names the host. The rules on scheme, port and address do not apply to such a host.
 */
function isTrustedHost(host: string, { httpHosts }: EndpointPolicy): boolean {
  return httpHosts.includes(host);
}

/**
 * Checks the text of an endpoint's URL. The addresses are checked later, at each connection (guardedLookup),
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
  // Refuses, for example, an address with two final dots, which URL does not recognize as an address.
  if (!domainName.test(host)) return 'not a domain name';

  return privateSuffixes.some((suffix) => `.${host}`.endsWith(`.${suffix}`)) ? 'a private domain' : undefined;
}

function refuse(code: EndpointUrlFault, message: string): CheckedEndpointUrl {
  return { allowed: false, code, message };
}

/** The destination of the requests to one URL, in the form that Node's clients take without parsing it again. */
export interface Destination {
  readonly protocol: 'https:' | 'http:';
  readonly hostname: string;
  /** Empty for the default port of the protocol. */
  readonly port: string;
  readonly path: string;
  /** The name for which the certificate must be valid; empty for an address. It has no final dot (RFC 6066). */
  readonly servername: string;
  /** Whether the stage's configuration names the host, so that its addresses may be private. */
  readonly isTrusted: boolean;
}

/** Returns the destination of an endpoint's URL, or `forbidden` when checkEndpointUrl does not allow the URL. */
export function toDestination(endpointUrl: string, policy: EndpointPolicy): Destination | 'forbidden' {
  const checked = checkEndpointUrl(endpointUrl, policy);
  if (!checked.allowed) return 'forbidden';

  const { url } = checked;
  const host = bareHost(url);
  return {
    protocol: url.protocol === 'http:' ? 'http:' : 'https:',
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    servername: isIP(host) === 0 ? host : '',
    isTrusted: isTrustedHost(host, policy),
  };
}

/** Returns all addresses of a host. Rejects, or returns an empty list, when the host has no address. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** The host has an address to which deliveries are not allowed. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** The host has no address. */
export class UnresolvedHostError extends Error {
  override readonly name = 'UnresolvedHostError';
}

/**
 * Asks the name servers directly. The operating system's getaddrinfo would occupy one of the process's four threads, so
 * one endpoint with a slow name server would delay all other endpoints.
 *
 * @param servers address and port of each name server; by default, the name servers of the operating system
 */
export function nameServerResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: webhookMs.nameServer, tries: maximumAttempts.nameServer });
  if (servers) resolver.setServers(servers);

  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...addresses(v4, 4), ...addresses(v6, 6)];
  };
}

/**
 * Returns the `lookup` of every connection. It returns the addresses of a host only when all of them are public.
 * The connection uses the checked addresses, so a later change of the DNS records has no effect (DNS rebinding).
 *
 * Node does not call `lookup` for a host that is an address; checkEndpointUrl checks such hosts.
 */
export function guardedLookup(policy: EndpointPolicy, resolve: ResolveHost): LookupFunction {
  const addressesOf = async (host: string): Promise<readonly LookupAddress[]> => {
    // A trusted host such as localhost may be known only to the hosts file.
    if (isTrustedHost(host, policy)) return lookup(host, { all: true });

    const addresses = await resolve(host);
    const reason = addresses.map(({ address }) => forbiddenAddressReason(address)).find((found) => found !== undefined);
    if (reason) throw new ForbiddenAddressError(`${host} has an address that is not allowed: ${reason}`);
    return addresses;
  };

  return (host, options, callback) => {
    addressesOf(host.replace(/\.$/, ''))
      .then((addresses) => addresses.filter(({ family }) => !options.family || options.family === family))
      .then(
        (addresses) => {
          const [first] = addresses;
          if (!first) callback(new UnresolvedHostError(`${host} has no address`), '');
          else if (options.all) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error instanceof ForbiddenAddressError ? error : unresolved(host, error), ''),
      );
  };
}

function unresolved(host: string, cause: Error): UnresolvedHostError {
  return new UnresolvedHostError(`${host} cannot be resolved`, { cause });
}
