import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guardedLookup, type ResolveHost } from '../../shared/webhooks/guarded-lookup.ts';
import { createPoster, postOnce } from '../../shared/webhooks/post.ts';
import { watchConnectionAttempts } from '../support/connection-attempts.ts';
import { startReceiver } from '../support/receiver.ts';
import { forbiddenAddresses, forbiddenHosts } from './forbidden-hosts.ts';

const strict = { httpHosts: [] };
const now = () => new Date();
const somePublicAddress = '93.184.216.34';
const record = (address: string): LookupAddress => ({ address, family: isIPv6(address) ? 6 : 4 });
const urlHost = (address: string) => (isIPv6(address) ? `[${address}]` : address);
const delivery = (endpointUrl: string) => ({ endpointUrl, headers: {}, body: '{}' });

let attempts: ReturnType<typeof watchConnectionAttempts>;
beforeEach(() => {
  attempts = watchConnectionAttempts(somePublicAddress);
});
afterEach(() => attempts.restore());

async function outcomeOf(endpointUrl: string, resolve: ResolveHost) {
  const poster = createPoster({ policy: strict, now, resolve, deadlineMs: 1000 });
  const outcome = await poster.post(delivery(endpointUrl));
  poster.close();
  return outcome;
}

describe('post(), protected against requests to internal hosts', () => {
  it('connects to an allowed host in a way that this test observes', async () => {
    const receiver = await startReceiver();
    const poster = createPoster({ policy: { httpHosts: ['127.0.0.1', 'localhost'] }, now });
    expect(await poster.post(delivery(receiver.url))).toMatchObject({ result: 'delivered', address: '127.0.0.1' });
    expect(attempts.addresses).toEqual(['127.0.0.1']);
    expect(await poster.post(delivery(`http://localhost:${receiver.port}/`))).toMatchObject({ result: 'delivered' });
    poster.close();
    await receiver.close();
  });

  it.each([...forbiddenHosts, ...forbiddenAddresses.map(urlHost)])('does not connect to the host %s', async (host) => {
    const resolvedTo = async () => [record('127.0.0.1')];
    for (const url of [`https://${host}/`, `https://${host}:8443/`, `http://${host}/`]) {
      expect(await outcomeOf(url, resolvedTo)).toMatchObject({ result: 'failed', errorClass: 'forbidden' });
    }
    expect(attempts.addresses).toEqual([]);
  });

  it.each(forbiddenAddresses)('does not connect when a name resolves to %s', async (address) => {
    const outcome = await outcomeOf('https://rebind.example.com/', async () => [record(address)]);
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'forbidden' });
    expect(attempts.addresses).toEqual([]);
  });

  it.each([
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['2606:4700:4700::1111', '169.254.169.254']],
    [['93.184.216.34', '::ffff:10.0.0.1']],
  ])('does not connect when one of several addresses is forbidden: %j', async (addresses) => {
    const outcome = await outcomeOf('https://mixed.example.com/', async () => addresses.map(record));
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'forbidden' });
    expect(attempts.addresses).toEqual([]);
  });

  it.each([
    ['has no address', async () => []],
    ['cannot be resolved', () => Promise.reject(new Error('SERVFAIL'))],
  ])('fails with the class dns when a name %s', async (_, resolve: ResolveHost) => {
    expect(await outcomeOf('https://nowhere.example.com/', resolve)).toMatchObject({ errorClass: 'dns' });
    expect(attempts.addresses).toEqual([]);
  });

  it('fails at its deadline when the name servers do not reply', async () => {
    const outcome = await outcomeOf('https://slow.example.com/', () => new Promise(() => {}));
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'timeout' });
    expect(outcome.timing.totalMs).toBeLessThan(1300);
  });
});

describe('a connection of post()', () => {
  const plan = (url: string, lookup: ReturnType<typeof guardedLookup>) => ({
    url: new URL(url),
    headers: {},
    body: '{}',
    agent: false as const,
    excerptBytes: 512,
    lookup,
    isForbidden: () => false,
    ca: undefined,
    deadlineMs: 1000,
    now,
  });

  it('goes to the checked address even when the DNS record changes', async () => {
    const receiver = await startReceiver();
    const answers = [[somePublicAddress], ['127.0.0.1']];
    const resolve: ResolveHost = async () => (answers.shift() ?? []).map(record);
    const lookup = guardedLookup(strict, resolve);

    // The first answer is public: only a second resolution could return loopback.
    await postOnce(plan(`http://rebind.example.com:${receiver.port}/`, lookup));
    expect(attempts.addresses).toEqual([somePublicAddress]);
    // A later connection is checked again.
    const { outcome } = await postOnce(plan(`http://rebind.example.com:${receiver.port}/`, lookup));
    expect(outcome).toMatchObject({ errorClass: 'forbidden' });
    expect(receiver.connections).toBe(0);
    await receiver.close();
  });

  it('sends no request when its address is forbidden', async () => {
    const receiver = await startReceiver();
    const lookup = guardedLookup({ httpHosts: ['127.0.0.1'] }, async () => []);
    const seen: (string | undefined)[] = [];
    const isForbidden = (address: string | undefined) => {
      seen.push(address);
      return true;
    };
    const { outcome } = await postOnce({ ...plan(receiver.url, lookup), isForbidden });

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'forbidden', address: '127.0.0.1' });
    expect(seen).toEqual(['127.0.0.1']);
    expect(receiver.received).toEqual([]);
    await receiver.close();
  });
});
