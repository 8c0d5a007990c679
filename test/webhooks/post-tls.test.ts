import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { createPoster } from '../../shared/webhooks/post.ts';
import { close, listen } from '../../tools/local/ports.ts';

/** A certificate for localhost and its key, for these tests only: `openssl req -x509 …`. */
const pem = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const certificate = pem('certificate');

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of closing.splice(0)) await end();
});

async function receivingTls(options: ServerOptions = {}) {
  const received: string[] = [];
  const server = createServer({ key: pem('key'), cert: certificate, ...options }, (request, response) => {
    received.push(request.url ?? '');
    request.resume().on('end', () => response.end('thanks'));
  });
  const port = await listen(server);
  closing.push(() => close(server));
  return { port, received };
}

function poster(ca?: string) {
  const policy = { httpHosts: ['localhost', '127.0.0.1'] };
  const made = createPoster({ policy, now: () => new Date(), deadlineMs: 2000, ...(ca !== undefined && { ca }) });
  closing.push(() => made.close());
  return (host: string, port: number) =>
    made.post({ endpointUrl: `https://${host}:${port}/hooks`, headers: {}, body: '{}' });
}

describe('post(), over TLS', () => {
  it.each(['localhost', '127.0.0.1'])('connects to %s once for two calls', async (host) => {
    const { port, received } = await receivingTls();
    const post = poster(certificate);
    const first = await post(host, port);
    const second = await post(host, port);

    expect(first).toMatchObject({ result: 'delivered', status: 200, timing: { tlsMs: expect.any(Number) } });
    expect(second).toMatchObject({ result: 'delivered', status: 200 });
    expect(second.timing.tlsMs).toBeUndefined();
    expect(received).toEqual(['/hooks', '/hooks']);
  });

  it('fails when the certificate comes from an unknown authority', async () => {
    const { port, received } = await receivingTls();
    expect(await poster()('localhost', port)).toMatchObject({ result: 'failed', errorClass: 'tls' });
    expect(received).toEqual([]);
  });

  it('fails when the TLS version is below 1.2', async () => {
    const { port, received } = await receivingTls({
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    });
    expect(await poster(certificate)('localhost', port)).toMatchObject({ result: 'failed', errorClass: 'tls' });
    expect(received).toEqual([]);
  });
});
