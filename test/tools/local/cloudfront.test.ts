import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SitesStack } from '../../../infra/stacks/sites-stack.ts';
import { stageSettings } from '../../../infra/stages.ts';
import { originOf } from '../../../shared/http/caller-address.ts';
import { localAccount } from '../../../tools/local/account.ts';
import { createPlatformClock } from '../../../tools/local/clock/platform-clock.ts';
import { close, listen, toUrl } from '../../../tools/local/ports.ts';
import { resolveSecrets } from '../../../tools/local/secrets/template-secrets.ts';
import { startSqs } from '../../../tools/local/sqs/sqs.ts';
import { Stoppers } from '../../../tools/local/stoppers.ts';
import { loadAssembly } from '../../../tools/local/template/assembly.ts';
import { LocalUrls } from '../../../tools/local/template/local-urls.ts';
import { Resources } from '../../../tools/local/template/resources.ts';
import { startSites } from '../../../tools/local/wiring/sites.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The real stack of the sites, in front of a server that takes the place of the management API. */

const secret = 'the-secret-of-the-delivery-network';
const stoppers = new Stoppers();
const received: IncomingMessage[] = [];
let site: string;
let resources: Resources;

/** Stores what the stack of `management` stores. */
const managementStack = {
  name: 'management',
  assets: new Map(),
  template: {
    Resources: {
      Domain: {
        Type: 'AWS::SSM::Parameter',
        Properties: { Name: '/rewards/local/management/domain', Value: 'api.execute-api.us-east-1.amazonaws.com' },
      },
    },
  },
};

function synthesize(): string {
  process.env.CDK_VALIDATION = 'false';
  const outdir = temporaryFolder('sites');
  const app = new App({ outdir, context: { 'aws:cdk:disable-stack-trace': true } });
  new SitesStack(app, 'sites', { stage: stageSettings('local'), dashboard: 'test/fixtures/site' });
  app.synth();
  return outdir;
}

/** Replies like the management API, and keeps the requests. */
async function startApi(): Promise<string> {
  const server = createServer((incoming, response) => {
    received.push(incoming);
    void text(incoming).then((body) => {
      const isKnown = incoming.url?.startsWith('/api/session');
      const cookies = ['rw_session=one; Path=/', 'rw_login=; Max-Age=0'];
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json', 'set-cookie': cookies });
      response.end(JSON.stringify({ path: incoming.url, method: incoming.method, body }));
    });
  });
  stoppers.add(() => close(server));
  return toUrl(await listen(server));
}

beforeAll(async () => {
  const clock = createPlatformClock();
  const sqs = await startSqs({ account: localAccount, clock });
  stoppers.add(() => sqs.stop());
  resources = new Resources([...loadAssembly(synthesize()), managementStack], {
    account: localAccount,
    sqsEndpoint: sqs.endpoint,
  });
  const localUrls = new LocalUrls();
  localUrls.add('https://api.execute-api.us-east-1.amazonaws.com/local', await startApi());
  const secrets = new Map([['rewards-local/edge', secret]]);
  const options = { assembly: '', stateDirectory: '' };
  const context = { resources, secrets, localUrls, s3: sqs.endpoint };
  ({ dashboard: site = '' } = await startSites(context, { options, stoppers, clock }));
});

afterAll(() => stoppers.stop());

/** Sends a request from an address of the loopback network. */
async function call(path: string, options: Parameters<typeof request>[1] = {}) {
  const sent = request(`${site}${path}`, options).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  );
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const lastReceived = () => received.at(-1)?.headers ?? {};

describe('the application', () => {
  it.each(['/', '/index.html', '/campaigns', '/organisations/7/campaigns/12.3/flows', '/campaigns/'])(
    'has its page at %s, with the headers of the policy',
    async (path) => {
      const { status, headers, body } = await call(path);

      expect(status).toBe(200);
      expect(body).toContain('<div id="application">');
      expect(headers).toMatchObject({
        'content-type': 'text/html',
        'cache-control': 'no-cache',
        'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
        'strict-transport-security': 'max-age=63072000',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('has its files, which browsers keep for ever', async () => {
    const { status, headers } = await call('/assets/index-a1b2c3d4.css');

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/css',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('has the other files of its root, but not those that describe the build', async () => {
    expect(await call('/icon.svg')).toMatchObject({ status: 200, headers: { 'content-type': 'image/svg+xml' } });
    expect((await call('/.vite/manifest.json')).body).toContain('<div id="application">');
  });

  it.each(['/assets/gone-00000000.js', '/missing.png'])('answers 404 for the missing file %s', async (path) => {
    expect((await call(path)).status).toBe(404);
  });

  it('compresses a file for a browser that accepts it', async () => {
    const path = '/assets/index-e5f6a7b8.js';
    const plain = await call(path);
    const response = await fetch(`${site}${path}`, { headers: { 'accept-encoding': 'br, gzip' } });

    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(await response.text()).toBe(plain.body);
  });

  it('answers 304 when the browser has the file already', async () => {
    const { headers } = await call('/icon.svg');

    expect((await call('/icon.svg', { headers: { 'if-none-match': headers.etag } })).status).toBe(304);
  });

  it('refuses methods that change something, and other names of the machine', async () => {
    expect((await call('/', { method: 'POST' })).status).toBe(403);
    expect((await call('/', { headers: { host: 'rewards.example' } })).status).toBe(403);
  });
});

describe('the API', () => {
  it('gets the whole request', async () => {
    const response = await fetch(`${site}/api/session/logout?everywhere=true`, {
      method: 'POST',
      headers: { cookie: 'rw_session=text', 'if-match': '"7"', 'content-type': 'application/json' },
      body: '{"a":1}',
    });

    expect(await response.json()).toEqual({
      path: '/api/session/logout?everywhere=true',
      method: 'POST',
      body: '{"a":1}',
    });
    expect(lastReceived()).toMatchObject({ cookie: 'rw_session=text', 'if-match': '"7"' });
    expect(response.headers.getSetCookie()).toHaveLength(2);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has its own 404, not the page of the application', async () => {
    const { status, headers, body } = await call('/api/no/such/thing');

    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toMatchObject({ path: '/api/no/such/thing' });
  });

  it('gets the secret of the delivery network, also when the viewer sends a forged one', async () => {
    await call('/api/session', { headers: { 'X-Rewards-Edge-Secret': 'forged' } });

    expect(lastReceived()['x-rewards-edge-secret']).toBe(secret);
  });

  it('is told the address of each viewer behind the edge, not the address that a viewer claims', async () => {
    const addresses: string[] = [];
    for (const localAddress of ['127.0.0.1', '127.0.0.2']) {
      await call('/api/session', { localAddress, headers: { 'X-Rewards-Viewer-Address': '198.51.100.99' } });
      addresses.push(originOf(lastReceived() as Record<string, string>, '203.0.113.7', [secret]).address);
    }

    expect(addresses).toEqual(['127.0.0.1', '127.0.0.2']);
  });
});

describe('resolveSecrets()', () => {
  it('throws for a secret that no stack makes', () => {
    expect(() => resolveSecrets('{{resolve:secretsmanager:other:SecretString:::}}', new Map())).toThrow(/secret other/);
  });
});
