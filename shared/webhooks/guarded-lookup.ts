import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { maximumAttempts, webhookMs } from '../contracts/limits.ts';
import { forbiddenAddressReason } from './address.ts';
import { type EndpointPolicy, isTrustedHost } from './endpoint-url.ts';

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
 * @param servers address and port of each name server; those of the operating system by default
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
