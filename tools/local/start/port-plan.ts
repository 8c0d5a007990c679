import type { Ports } from '../platform-options.ts';
import { isFree } from '../ports.ts';

const hosts = ['base', 'reward', 'campaign', 'user', 'order', 'notification'];
const services = ['dynamodb', 'sqs', 'events', 'scheduler'] as const;
const names = [...hosts, ...services];

const firstBase = 4510;
const basesTried = 20;

async function busyPorts(base: number): Promise<number[]> {
  const ports = names.map((_, index) => base + index);
  const free = await Promise.all(ports.map(isFree));
  return ports.filter((_, index) => !free[index]);
}

function plan(base: number): Ports {
  const port = (name: string): number => base + names.indexOf(name);
  return {
    hosts: Object.fromEntries(hosts.map((host) => [host, port(host)])),
    dynamodb: port('dynamodb'),
    sqs: port('sqs'),
    events: port('events'),
    scheduler: port('scheduler'),
  };
}

/**
 * The ports of a start: the same ones every time while they are free, the next ones beside another platform.
 * @throws Error naming the ports that are in use, when the first one was asked for
 */
export async function choosePorts(base?: number): Promise<Ports> {
  if (base !== undefined) {
    const busy = await busyPorts(base);
    if (busy.length > 0) throw new Error(`in use already: ${busy.join(', ')}; give another --port-base`);
    return plan(base);
  }
  for (let attempt = 0; attempt < basesTried; attempt += 1) {
    const candidate = firstBase + attempt * names.length;
    if ((await busyPorts(candidate)).length === 0) return plan(candidate);
  }
  throw new Error(`no free ports from ${firstBase} on; give --port-base`);
}
