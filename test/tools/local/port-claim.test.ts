import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { close, listen } from '../../../tools/local/ports.ts';
import { claimPorts, type PortClaim, portCount } from '../../../tools/local/start/port-claim.ts';

function portsOf({ ports: { hosts, sites, ...services } }: PortClaim): number[] {
  return [...Object.values(hosts), ...Object.values(sites), ...Object.values(services)];
}

describe('claimPorts()', () => {
  it('returns different ports to platforms that start at the same time', async () => {
    const claims = await Promise.all([claimPorts(), claimPorts(), claimPorts()]);

    expect(new Set(claims.flatMap(portsOf)).size).toBe(3 * portCount);

    await Promise.all(claims.map(({ release }) => release()));
  });

  it('does not return a range in which another program uses a port', async () => {
    const first = await claimPorts();
    const server = createServer();
    await listen(server, first.ports.sqs);
    await first.release();

    const second = await claimPorts();

    expect(portsOf(second)).not.toContain(first.ports.sqs);
    await second.release();
    await close(server);
  });
});
