import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findListener, readEnvironment } from '../../clients/typescript/cli/environment.ts';
import { eventNames, signExample } from '../../clients/typescript/cli/events.ts';
import {
  type Listener,
  type ListenOptions,
  type ReceivedDelivery,
  startListener,
} from '../../clients/typescript/cli/listen.ts';
import { verifyWebhook } from '../../clients/typescript/src/webhooks.ts';
import { eventNames as declaredNames, eventEntities } from '../../shared/contracts/events.ts';
import { close, listen, toUrl } from '../../tools/local/ports.ts';

const salt = '5f'.repeat(32);

/** A notification host with these subscriptions. It records every request. */
function notificationHost(subscriptions: { endpoint: string; event_name: string | null; entity_type: null }[]) {
  const calls: { readonly method: string; readonly body: { endpoint?: string; event_name?: string } }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
    calls.push({ method: String(request.method), body });
    const index = subscriptions.findIndex(({ event_name }) => event_name === (body.event_name ?? null));
    const reply = (status: number, content: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    if (request.method === 'GET') return reply(200, { code: 'ok', data: { subscriptions } });
    if (request.method === 'PUT') subscriptions.splice(index, 1);
    else if (index >= 0)
      return reply(400, { error: 'subscription_already_exists', message: 'exists', request_id: 'r' });
    else subscriptions.push({ endpoint: body.endpoint, event_name: body.event_name ?? null, entity_type: null });
    return reply(200, { code: 'ok', data: { subscribed: true, salt, subscription_id: 's' } });
  });
  return { server, calls, subscriptions };
}

describe('signExample()', () => {
  it('knows every event and its entity', () => {
    expect(eventNames.toSorted()).toEqual(declaredNames.toSorted());
    for (const event of eventNames) {
      expect(JSON.parse(signExample({ event, salt }).body)).toMatchObject({ event, entity: eventEntities[event] });
    }
  });

  it.each(['platform', 'standard'] as const)('signs like the platform, in the scheme %s', (scheme) => {
    const { body, headers } = signExample({ event: 'campaign_ended', entityId: '12', salt });
    expect(verifyWebhook({ body, headers, salt, scheme })).toMatchObject({ event: 'campaign_ended', entity_id: '12' });
  });
});

describe('npm run dev-cli', () => {
  const run = promisify(execFile);
  const command = (...args: string[]) => run(process.execPath, ['clients/typescript/cli/main.ts', ...args]);

  it('prints a help text that contains every event and an example', async () => {
    const { stdout } = await command('--help');
    for (const text of [...eventNames, 'Example: npm run dev-cli -- listen', '--json']) expect(stdout).toContain(text);
  });

  it.each([
    [['trigger', 'nothing'], /there is no event nothing: choose one of/],
    [['speak'], /unknown command speak/],
    [['listen', '--port', 'x'], /--port must be a port, not x/],
    [['trigger', 'campaign_ended', '--platform', 'absent.json'], /there is no absent.json: start the platform/],
  ])('explains the wrong arguments %j in one sentence', async (args, message) => {
    await expect(command(...args)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  });

  it('sends one example of each event and prints each status', async () => {
    const seen: string[] = [];
    const receiver = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      seen.push(verifyWebhook({ headers: request.headers, body, salt }).event);
      response.writeHead(204).end();
    });
    const url = toUrl(await listen(receiver));
    const { stdout } = await command('trigger', 'all', '--to', url, '--salt', salt, '--json');
    await close(receiver);
    expect(seen).toEqual(eventNames);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual(eventNames.map((event) => ({ event, status: 204 })));
  });
});

describe('readEnvironment()', () => {
  it('throws an explanation for a stopped platform or an unknown organisation', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'dev-cli-')), 'platform.json');
    expect(() => readEnvironment(file, 'merchant')).toThrow(/start the platform with npm start/);
    writeFileSync(file, JSON.stringify({ hosts: {}, demo: { merchant: { apiKey: 'k' } } }));
    expect(readEnvironment(file, 'merchant').partnerKey).toBe('k');
    expect(() => readEnvironment(file, 'nobody')).toThrow(/has no nobody/);
  });
});

describe('startListener()', () => {
  let stop: (() => Promise<void>)[] = [];
  let received: ReceivedDelivery[] = [];
  const servers = async (server: Server) => {
    stop.push(() => close(server));
    return toUrl(await listen(server));
  };
  beforeEach(() => {
    received = [];
  });
  afterEach(async () => {
    for (const step of stop.reverse()) await step();
    stop = [];
  });

  async function start(
    host: ReturnType<typeof notificationHost>,
    options: Partial<ListenOptions> = {},
  ): Promise<Listener> {
    const notification = await servers(host.server);
    const listenerFile = join(mkdtempSync(join(tmpdir(), 'dev-cli-')), 'listener.json');
    const hosts = { base: '', reward: '', campaign: '', user: '', order: '', notification };
    const listener = await startListener({
      ...{ hosts, partnerKey: 'key', listenerFile, onDelivery: (each) => void received.push(each) },
      ...options,
    });
    expect(findListener(listenerFile)).toEqual({ url: listener.url, salt });
    stop.push(async () => {
      await listener.close();
      expect(findListener(listenerFile)).toBeUndefined();
    });
    return listener;
  }

  const deliver = async ({ url }: Listener, headers: Readonly<Record<string, string>> = {}) => {
    const example = signExample({ event: 'transaction_created', entityId: 't-1', salt });
    return fetch(url, { method: 'POST', body: example.body, headers: { ...example.headers, ...headers } });
  };

  it('forwards a webhook and returns the reply of the application', async () => {
    const bodies: string[] = [];
    const application = await servers(
      createServer(async (request, response) => {
        const body = Buffer.concat(await request.toArray());
        bodies.push(verifyWebhook({ headers: request.headers, body, salt }).entity_id);
        response.writeHead(bodies.length === 1 ? 503 : 204).end();
      }),
    );
    const host = notificationHost([]);
    const listener = await start(host, { forwardTo: application });
    expect((await deliver(listener)).status).toBe(503);
    expect((await deliver(listener)).status).toBe(204);
    expect(bodies).toEqual(['t-1', 't-1']);
    expect(received.map(({ event, status }) => [event, status])).toEqual([
      ['transaction_created', 503],
      ['transaction_created', 204],
    ]);
  });

  it('refuses a webhook with a wrong signature, and a webhook to another path', async () => {
    const listener = await start(notificationHost([]));
    expect((await deliver(listener, { 'webhook-signature': 'v1,AAAA' })).status).toBe(401);
    expect((await deliver({ ...listener, url: new URL('/other', listener.url).href })).status).toBe(404);
    expect(received).toEqual([expect.objectContaining({ status: 401, problem: expect.stringContaining('signature') })]);
  });

  it('returns 502 when the application does not reply, so that the platform tries again', async () => {
    const closed = createServer();
    const url = toUrl(await listen(closed));
    await close(closed);
    const listener = await start(notificationHost([]), { forwardTo: url });
    expect((await deliver(listener)).status).toBe(502);
    expect(received[0]?.problem).toContain('does not answer');
  });

  it('deletes its subscription when it stops', async () => {
    const host = notificationHost([]);
    const listener = await start(host, { event: 'campaign_ended' });
    expect(host.subscriptions).toEqual([{ endpoint: listener.url, event_name: 'campaign_ended', entity_type: null }]);
    await stop.pop()?.();
    expect(host.subscriptions).toEqual([]);
  });

  it('replaces the subscription of a listener that was killed', async () => {
    const left = { endpoint: 'http://127.0.0.1:9/rewards-listen/old', event_name: null, entity_type: null };
    const host = notificationHost([left]);
    const listener = await start(host);
    expect(host.subscriptions).toEqual([{ ...left, endpoint: listener.url }]);
  });

  it('neither replaces nor deletes the subscription of another running listener', async () => {
    const host = notificationHost([]);
    const first = await start(host);
    const [own] = host.subscriptions;
    const second = start(notificationHost(host.subscriptions));
    await expect(second).rejects.toThrow(first.url);
    expect(host.subscriptions).toEqual([own]);

    const later = { endpoint: 'http://127.0.0.1:9/rewards-listen/later', event_name: null, entity_type: null };
    host.subscriptions.splice(0, 1, later);
    await first.close();
    stop = stop.filter((_, position) => position !== 1);
    expect(host.subscriptions).toEqual([later]);
  });

  it('does not change a subscription that the organisation made without a listener', async () => {
    const own = { endpoint: 'https://shop.example.com/webhooks', event_name: null, entity_type: null };
    const host = notificationHost([own]);
    await expect(start(host)).rejects.toThrow(/shop\.example\.com.*--event/);
    expect(host.subscriptions).toEqual([own]);
  });
});
