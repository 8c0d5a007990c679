import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResolveHost } from '../../shared/webhooks/destination.ts';
import { createPoster } from '../../shared/webhooks/post.ts';
import { type ConnectionTrap, trapConnections } from '../support/connection-trap.ts';
import { forbiddenAddresses, forbiddenAnswers, publicAddresses } from './forbidden-addresses.ts';
import { forbiddenHosts, forbiddenUrls } from './forbidden-hosts.ts';

const policy = { httpHosts: [] };
const publicAddress = '93.184.216.34';
const record = (address: string): LookupAddress => ({ address, family: isIPv6(address) ? 6 : 4 });
const urlHost = (address: string) => (isIPv6(address) ? `[${address}]` : address);
const forbidden = { result: 'failed', errorClass: 'forbidden' };

let trap: ConnectionTrap;
beforeAll(async () => {
  trap = await trapConnections();
});
afterEach(() => trap.reset());
afterAll(() => trap.release());

/** Posts as a delivery does: with the check of the URL, the resolver and a real connection. Returns the outcome. */
async function outcomeOf(endpointUrl: string, resolve: ResolveHost) {
  const poster = createPoster({ policy, now: () => new Date(), resolve, deadlineMs: 1000 });
  const outcome = await poster.post({ endpointUrl, headers: {}, body: '{}' });
  poster.close();
  return outcome;
}

/** Resolves every name to these addresses. */
const resolvingTo =
  (...addresses: readonly string[]): ResolveHost =>
  async () =>
    addresses.map(record);

/** Connects once more. The listener accepts connections in turn, so by then it has counted every earlier one. */
async function expectNoConnection() {
  expect(trap.targets).toEqual([]);
  await outcomeOf(`https://${publicAddress}/`, resolvingTo());
  await expect.poll(() => trap.accepted, { interval: 2, timeout: 10_000 }).toBe(1);
}

describe('the listener that replaces the network in these tests', () => {
  it.each(publicAddresses)('receives the connection to the public address %s', async (address) => {
    await outcomeOf(`https://${urlHost(address)}/`, resolvingTo());
    expect(trap.targets).toEqual([address]);
    await expect.poll(() => trap.accepted, { interval: 2, timeout: 10_000 }).toBe(1);
  });

  it('receives connections to a name with public addresses', async () => {
    await outcomeOf('https://hooks.example.com/', resolvingTo(publicAddress, '2606:4700:4700::1111'));
    expect(trap.targets).toEqual([publicAddress, '2606:4700:4700::1111']);
    await expect.poll(() => trap.accepted, { interval: 2, timeout: 10_000 }).toBe(1);
  });
});

describe('post(), protected against internal hosts', () => {
  it.each([...forbiddenHosts, ...forbiddenAddresses.map(urlHost)])('does not connect to the host %j', async (host) => {
    for (const url of [`https://${host}/`, `https://${host}:8443/`, `http://${host}/`, `HTTPS://${host}`]) {
      expect(await outcomeOf(url, resolvingTo(publicAddress)), url).toMatchObject(forbidden);
    }
    await expectNoConnection();
  });

  it.each(forbiddenUrls)('does not connect for the URL %j', async (url) => {
    expect(await outcomeOf(url, resolvingTo(publicAddress))).toMatchObject(forbidden);
    await expectNoConnection();
  });

  it.each([...forbiddenAddresses, ...forbiddenAnswers])(
    'does not connect when a name resolves to %j',
    async (address) => {
      expect(await outcomeOf('https://hooks.example.com/', resolvingTo(address))).toMatchObject(forbidden);
      expect(await outcomeOf('https://hooks.example.com.:8443/', resolvingTo(address))).toMatchObject(forbidden);
      await expectNoConnection();
    },
  );

  it.each(forbiddenAddresses)(
    'does not connect when a name has several addresses, one of which is %s',
    async (address) => {
      const good = ['1.1.1.1', '2606:4700:4700::1111'];
      for (const answer of [
        [address, ...good],
        ['1.1.1.1', address, '8.8.8.8'],
        [...good, address],
      ]) {
        expect(await outcomeOf('https://hooks.example.com/', resolvingTo(...answer))).toMatchObject(forbidden);
      }
      await expectNoConnection();
    },
  );

  it.each([
    ['has no address', resolvingTo()],
    ['cannot be resolved', () => Promise.reject(new Error('SERVFAIL'))],
  ])('fails with the class dns when a name %s', async (_, resolve: ResolveHost) => {
    expect(await outcomeOf('https://nowhere.example.com/', resolve)).toMatchObject({ errorClass: 'dns' });
    await expectNoConnection();
  });

  it('fails at its deadline when no name server replies', async () => {
    const outcome = await outcomeOf('https://slow.example.com/', () => new Promise(() => {}));
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'timeout' });
    expect(outcome.timing.totalMs).toBeLessThan(1300);
    await expectNoConnection();
  });
});
