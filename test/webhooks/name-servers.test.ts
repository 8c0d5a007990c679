import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nameServerResolver } from '../../shared/webhooks/destination.ts';
import { createPoster } from '../../shared/webhooks/post.ts';
import { type ConnectionTrap, trapConnections } from '../support/connection-trap.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

const host = 'hooks.example.com';
const publicAddress = '93.184.216.34';
const forbidden = { result: 'failed', errorClass: 'forbidden' };

let names: NameServer;
let trap: ConnectionTrap;
beforeAll(async () => {
  names = await startNameServer();
  trap = await trapConnections();
});
afterEach(() => trap.reset());
afterAll(async () => {
  names.close();
  await trap.release();
});

async function outcomeOf(endpointUrl: string) {
  const resolve = nameServerResolver([names.server]);
  const poster = createPoster({ policy: { httpHosts: [] }, now: () => new Date(), resolve, deadlineMs: 2000 });
  const outcome = await poster.post({ endpointUrl, headers: {}, body: '{}' });
  poster.close();
  return outcome;
}

/** Makes each name an alias of the next one; the last one has the addresses. */
function setChain(chain: readonly string[], ...addresses: readonly string[]): void {
  chain.forEach((name, at) => {
    const alias = chain[at + 1];
    names.set(name, alias === undefined ? addresses : { alias });
  });
}

describe('post() with a name server', () => {
  it('follows a chain of aliases to its address', async () => {
    setChain([host, 'a.example.net', 'b.example.org'], publicAddress);
    await outcomeOf(`https://${host}/`);
    expect(trap.targets).toEqual([publicAddress]);
  });

  it.each<[string[]]>([
    [['127.0.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['fd00:ec2::254']],
    [[publicAddress, '10.0.0.1']],
    [[publicAddress, '::1']],
    [['2606:4700:4700::1111', '127.0.0.1']],
    [[publicAddress, '1.1.1.1', '8.8.8.8', '8.8.4.4', '100.64.0.1', '9.9.9.9']],
  ])('does not connect when aliases end at the addresses %j', async (addresses) => {
    setChain([host, 'a.example.net', 'metadata.google.internal'], ...addresses);
    expect(await outcomeOf(`https://${host}/`)).toMatchObject(forbidden);
    setChain([host], ...addresses);
    expect(await outcomeOf(`https://${host}./`)).toMatchObject(forbidden);
    expect(trap.targets).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['an alias of itself', () => names.set('loop.example.com', { alias: 'loop.example.com' })],
    ['an alias of a name without addresses', () => setChain(['loop.example.com', 'empty.example.com'])],
    ['unknown', () => {}],
  ])('fails with the class dns when the name is %s', async (_, prepare) => {
    prepare();
    expect(await outcomeOf('https://loop.example.com/')).toMatchObject({ result: 'failed', errorClass: 'dns' });
    expect(trap.targets).toEqual([]);
  });

  it('checks the addresses of a new query, not those of an earlier query', async () => {
    names.set(host, [publicAddress]);
    await outcomeOf(`https://${host}/`);
    expect(trap.targets).toEqual([publicAddress]);

    names.set(host, ['127.0.0.1']);
    expect(await outcomeOf(`https://${host}/`)).toMatchObject(forbidden);
    expect(trap.targets).toEqual([publicAddress]);
  });
});
