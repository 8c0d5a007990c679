import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { forbiddenAddressReason } from './address.ts';
import { type EndpointPolicy, isTrustedHost } from './endpoint-url.ts';

/** All addresses of a host; rejects, or gives none, when it has none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** The name leads to an address that deliveries may not go to. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** The name leads nowhere. */
export class UnresolvedHostError extends Error {
  override readonly name = 'UnresolvedHostError';
}

/**
 * Asks the name servers themselves. The operating system's getaddrinfo would occupy one of four threads
 * that the whole process shares, so that one endpoint with a slow name server would hold up all others.
 */
export function nameServerResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: 1500, tries: 2 });

  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...addresses(v4, 4), ...addresses(v6, 6)];
  };
}

/**
 * The `lookup` of every connection: gives a host's addresses only when every one of them is public, so
 * that a name with one good and one bad record cannot be played against us. What is checked here is
 * what is connected to, so a record that changes afterwards changes nothing (DNS rebinding).
 *
 * Node does not call it for hosts that are addresses already; those are checked with the URL.
 */
export function guardedLookup(policy: EndpointPolicy, resolve: ResolveHost): LookupFunction {
  const addressesOf = async (host: string): Promise<readonly LookupAddress[]> => {
    // A trusted host may stand in the hosts file only, as localhost does.
    if (isTrustedHost(host, policy)) return lookup(host, { all: true });

    const addresses = await resolve(host);
    const reason = addresses.map(({ address }) => forbiddenAddressReason(address)).find((found) => found !== undefined);
    if (reason) throw new ForbiddenAddressError(`${host} leads to an address that is ${reason}`);
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
