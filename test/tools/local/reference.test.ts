import { createServer, request as sendRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentVariables } from '../../../tools/build/docs/postman-folders.ts';
import { close, listen, toUrl } from '../../../tools/local/ports.ts';
import { type Reference, startReference } from '../../../tools/local/reference/reference.ts';
import { postmanEnvironment } from '../../../tools/local/start/postman-environment.ts';

const names = ['base', 'reward', 'campaign', 'user', 'order', 'notification'];
const credentials = { partnerKey: 'key', userToken: 'token', client: { id: 'client', secret: 'secret' } };

/** A host that replies with what it received. */
const host = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { method, url, headers } = request;
  if (url === '/broken') {
    response.writeHead(200, { 'content-length': '100' }).write('{"half":');
    return setTimeout(() => response.destroy(), 50);
  }
  response.writeHead(201, { 'x-request-id': 'r-1', 'content-type': 'application/json' });
  response.end(JSON.stringify({ method, url, key: headers['x-api-key'], body }));
});
let reference: Reference;
let hosts: Record<string, string>;

beforeAll(async () => {
  const url = toUrl(await listen(host));
  hosts = Object.fromEntries(names.map((name) => [name, url]));
  const merchant = { id: 1, name: 'Shop', apiKey: 'key', clientId: 'client', clientSecret: 'secret' };
  reference = await startReference({ hosts, credentials, environment: postmanEnvironment(hosts, { merchant }) });
});
afterAll(async () => {
  await reference.close();
  await close(host);
});

const get = (path: string) => fetch(new URL(path, reference.url));
// biome-ignore lint/suspicious/noExplicitAny: bodies of several shapes
const getJson = async (path: string): Promise<any> => (await get(path)).json();

describe('the API reference', () => {
  it('shows a page that loads nothing from the network', async () => {
    const response = await get('/');
    const html = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect((await get(part)).status, part).toBe(200);
  });

  it('returns the joined document with the addresses of the platform', async () => {
    const document = await getJson('/openapi.json');
    expect(document.paths['/users/{id}#user'].servers).toEqual([{ url: hosts.user, description: 'This platform' }]);
    expect(document.paths['/reward_transaction/auth'].servers[0].url).toBe(hosts.reward);
  });

  it('returns an environment that fills the variables of the Postman collection', async () => {
    const collection = await getJson('/postman_collection.json');
    const environment = await getJson('/postman_environment.json');
    const declared = collection.variable.map(({ key }: { key: string }) => key);
    const filled = environment.values.map(({ key }: { key: string }) => key);
    expect(filled.toSorted()).toEqual(environmentVariables.toSorted());
    expect(declared).toEqual(expect.arrayContaining(filled));
    expect(environment.values).toContainEqual({ key: 'partner_key', value: 'key', enabled: true });
  });

  it('shows the document, and why it has no live examples, when a host replies otherwise than expected', async () => {
    const { document, problem, credentials: filled } = await getJson('/live.json');
    expect(document.paths['/reward_transaction/auth'].servers[0].url).toBe(hosts.reward);
    expect(problem).toMatch(/^There are no live examples: /);
    expect(filled).toEqual(credentials);
  });

  it('sends a request to its host unchanged', async () => {
    const response = await fetch(new URL('/send/order/orders/external?a=1', reference.url), {
      method: 'POST',
      headers: { 'x-api-key': 'key' },
      body: '{"b":2}',
    });
    expect([response.status, response.headers.get('x-request-id')]).toEqual([201, 'r-1']);
    expect(await response.json()).toEqual({ method: 'POST', url: '/orders/external?a=1', key: 'key', body: '{"b":2}' });
  });

  it('keeps running when a host breaks off a reply', async () => {
    const broken = await get('/send/base/broken');
    await expect(broken.text()).rejects.toThrow();
    expect((await get('/send/base/users')).status).toBe(201);
  });

  it('replies 404 for an unknown host and for a file outside its folder', async () => {
    expect((await get('/send/elsewhere/x')).status).toBe(404);
    expect((await get('/viewer/..%2f..%2fpackage.json')).status).toBe(404);
    expect((await get('/viewer/nothing.js')).status).toBe(404);
  });

  it('refuses a browser that used another host name', async () => {
    const status = await new Promise((resolve) => {
      sendRequest(reference.url, { headers: { host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(421);
  });
});
