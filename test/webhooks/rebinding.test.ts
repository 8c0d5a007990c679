import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardedLookup, type ResolveHost } from '../../shared/webhooks/destination.ts';
import { type PostPlan, postOnce } from '../../shared/webhooks/post-once.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receiver.ts';

const host = 'hooks.example.com';
const loopback = [{ address: '127.0.0.1', family: 4 }];
const agent = new Agent({ keepAlive: true });

let receiver: Receiver;
let sockets = 0;
const countSocket = () => {
  sockets += 1;
};
beforeEach(() => {
  sockets = 0;
  subscribe('net.client.socket', countSocket);
});
afterEach(async () => {
  unsubscribe('net.client.socket', countSocket);
  agent.destroy();
  await receiver.close();
});

async function receive(answer?: Answering): Promise<void> {
  receiver = await startReceiver(answer);
}

/**
 * An attempt whose host name has an address on loopback. The address counts as public, unless a test changes
 * `isForbidden`.
 */
const plan = (changes: Partial<PostPlan> = {}): PostPlan => ({
  destination: {
    protocol: 'http:',
    hostname: host,
    port: String(receiver.port),
    path: '/',
    servername: host,
    isTrusted: false,
  },
  headers: {},
  body: '{}',
  agent,
  excerptBytes: 512,
  lookup: (_host, _options, callback) => callback(null, loopback),
  isForbidden: () => false,
  secureContext: undefined,
  deadlineMs: 1000,
  now: () => new Date(),
  ...changes,
});

/** An agent whose connections have no address, as after a reset by the other side. */
class AddresslessAgent extends Agent {
  override createConnection(...args: Parameters<Agent['createConnection']>): ReturnType<Agent['createConnection']> {
    const socket = super.createConnection(...args);
    return socket && Object.defineProperty(socket, 'remoteAddress', { value: undefined });
  }
}

describe('a connection of post()', () => {
  it('uses the checked addresses without a second DNS query', async () => {
    await receive();
    const answers = [[{ address: '93.184.216.34', family: 4 }], loopback];
    const resolve: ResolveHost = async () => answers.shift() ?? [];
    const lookup = guardedLookup({ httpHosts: [] }, resolve);
    const found = await new Promise((done) => lookup(host, { all: true }, (_error, addresses) => done(addresses)));

    expect(found).toEqual([{ address: '93.184.216.34', family: 4 }]);
    // The name server was asked once. The next attempt asks again, and its answer is checked again.
    expect(answers).toEqual([loopback]);
    expect((await postOnce(plan({ lookup }))).outcome).toMatchObject({ errorClass: 'forbidden' });
    expect(receiver.connections).toBe(0);
  });

  it('has its socket’s address checked before the request', async () => {
    await receive();
    const isForbidden = vi.fn<(address: string) => boolean>(() => true);
    const { outcome } = await postOnce(plan({ isForbidden }));

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'forbidden', address: '127.0.0.1' });
    expect(isForbidden.mock.calls).toEqual([['127.0.0.1']]);
    expect(receiver.received).toEqual([]);
  });

  it('has its address checked before the TLS handshake begins', async () => {
    await receive();
    const received: Buffer[] = [];
    const ended = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('data', (bytes) => received.push(bytes));
      socket.on('close', () => ended.resolve());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const destination = { ...plan().destination, protocol: 'https:' as const, port: String(port) };
    const { outcome } = await postOnce(plan({ destination, agent: false, isForbidden: () => true }));
    await ended.promise;
    server.close();

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'forbidden' });
    expect(received).toEqual([]);
  });

  it('sends nothing when its socket has no address any more', async () => {
    await receive();
    const { outcome } = await postOnce(plan({ agent: new AddresslessAgent() }));

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'connect' });
    expect(receiver.received).toEqual([]);
  });
});

describe('a connection that stays open', () => {
  it('keeps its checked address when the DNS record changes', async () => {
    await receive();
    await postOnce(plan());
    const lookup = vi.fn<PostPlan['lookup']>();
    const { outcome } = await postOnce(plan({ lookup }));

    expect(outcome).toMatchObject({ result: 'delivered', address: '127.0.0.1' });
    expect(lookup).not.toHaveBeenCalled();
    expect(sockets).toBe(1);
  });

  it('has its address checked again before the next request', async () => {
    await receive();
    await postOnce(plan());
    const { outcome } = await postOnce(plan({ isForbidden: () => true }));

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'forbidden' });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a redirect', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/',
    '//169.254.169.254/',
    'http://[fd00:ec2::254]/',
    'http://127.0.0.1/',
    '/other',
  ])('to %s opens no connection and sends no request', async (location) => {
    await receive((response) => response.writeHead(307, { location, refresh: `0; url=${location}` }).end());
    const { outcome } = await postOnce(plan());

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'redirect', status: 307 });
    expect(sockets).toBe(1);
    expect(receiver.received).toHaveLength(1);
  });
});
