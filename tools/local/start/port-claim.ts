import { createServer } from 'node:http';
import type { Ports } from '../platform-options.ts';
import { close, isFree, listen } from '../ports.ts';

const hosts = ['base', 'reward', 'campaign', 'user', 'order', 'notification'];
const services = ['dynamodb', 'sqs', 'events', 'scheduler', 'secrets', 'program', 'reference'] as const;
const laterHosts = ['management'];
const sites = ['dashboard'];
const laterServices = ['parameters', 'oidc'] as const;
/** In the order of the ports. A new name comes last, so that the others keep the ports that documents show. */
const names = [...hosts, ...services, ...laterHosts, ...sites, ...laterServices];
/** How many ports one platform has. */
export const portCount = names.length;

const firstBase = 4510;
const basesTried = 20;

/** Distance from the first port of a range to the port that claims it. */
const claimOffset = 10_000;

/** A range of ports for one platform. */
export interface PortClaim {
  readonly ports: Ports;
  release(): Promise<void>;
}

/**
 * Claims a range of ports: always the same range while it is free, else the next free range.
 *
 * To claim a range, this process listens on one port above it. The operating system gives a port to one process only,
 * until the process ends. So platforms that start at the same moment get different ranges.
 *
 * @param base first port of a fixed range, used without a claim. When omitted, a free range is claimed.
 * @throws Error with the ports that are in use, when `base` is given
 */
export async function claimPorts(base?: number): Promise<PortClaim> {
  if (base !== undefined) {
    const busyPorts = await findBusyPorts(base);
    if (busyPorts.length > 0) throw new Error(describeBusy(busyPorts));
    return { ports: assignPorts(base), release: async () => {} };
  }
  for (let attempt = 0; attempt < basesTried; attempt += 1) {
    const candidate = firstBase + attempt * portCount;
    const claim = await claimRange(candidate);
    if (claim && (await findBusyPorts(candidate)).length === 0) return claim;
    await claim?.release();
  }
  throw new Error(`No free ports from ${firstBase} on: choose others with npm start -- --port-base N.`);
}

/** Says which ports are taken and what to do. */
function describeBusy(ports: readonly number[]): string {
  const used = ports.length === 1 ? `Port ${ports[0]} is` : `Ports ${ports.join(', ')} are`;
  return `${used} in use by another program: stop it, or choose other ports with npm start -- --port-base N.`;
}

/**
 * Tells the reader that the platform has other ports than the documents show. Undefined when the ports are the same.
 */
export function describeMove({ hosts: { base = firstBase } }: Ports): string | undefined {
  const last = (first: number): number => first + portCount - 1;
  return base === firstBase
    ? undefined
    : `Ports ${firstBase} to ${last(firstBase)} are not all free: this platform uses ${base} to ${last(base)}.`;
}

/** Returns undefined when another platform has claimed the range. */
async function claimRange(base: number): Promise<PortClaim | undefined> {
  const server = createServer();
  try {
    await listen(server, base + claimOffset);
    return { ports: assignPorts(base), release: () => close(server) };
  } catch {
    return undefined;
  }
}

async function findBusyPorts(base: number): Promise<number[]> {
  const ports = names.map((_, index) => base + index);
  const areFree = await Promise.all(ports.map(isFree));
  return ports.filter((_, index) => !areFree[index]);
}

function assignPorts(base: number): Ports {
  const portOf = (name: string): number => base + names.indexOf(name);
  return {
    hosts: Object.fromEntries([...hosts, ...laterHosts].map((host) => [host, portOf(host)])),
    sites: Object.fromEntries(sites.map((site) => [site, portOf(site)])),
    dynamodb: portOf('dynamodb'),
    sqs: portOf('sqs'),
    events: portOf('events'),
    scheduler: portOf('scheduler'),
    secrets: portOf('secrets'),
    program: portOf('program'),
    reference: portOf('reference'),
    parameters: portOf('parameters'),
    oidc: portOf('oidc'),
  };
}
