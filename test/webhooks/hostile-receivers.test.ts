import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../shared/webhooks/attempt-outcome.ts';
import { createPoster, type Poster } from '../../shared/webhooks/post.ts';
import { type HostileReceivers, type Hostility, startHostileReceivers } from '../support/hostile/receivers.ts';

const deadlineMs = 300;
const pem = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
/** This test trusts all three certificates. So the second is wrong only in its name, and the third only in its date. */
const ca = ['certificate', 'other-name', 'expired'].map(pem).join('\n');

const openSockets = () => process.getActiveResourcesInfo().filter((type) => /TCP|TLS|Connect/.test(type)).length;

let receivers: HostileReceivers;
/** Earlier files in the same process may have left some. */
let socketsBefore: number;
beforeAll(async () => {
  receivers = await startHostileReceivers();
  socketsBefore = openSockets();
});
afterAll(() => receivers.stop());
const posters: Poster[] = [];
afterEach(async () => {
  for (const poster of posters.splice(0)) poster.close();
  await expect.poll(openSockets, { message: 'open sockets', timeout: 10_000 }).toBeLessThanOrEqual(socketsBefore);
});

function posting(options: { deadlineMs?: number } = {}) {
  const policy = { httpHosts: ['127.0.0.1'] };
  const poster = createPoster({ policy, now: () => new Date(), ca, deadlineMs, ...options });
  posters.push(poster);
  return (hostility: Hostility, { scheme = 'http', body = '{}' } = {}) =>
    poster.post({ endpointUrl: `${scheme}://127.0.0.1:${receivers.portOf(hostility)}/hooks`, headers: {}, body });
}

/** How long after a timer of the same duration an attempt ended. A busy event loop delays the timer as well. */
async function latenessMs(durationMs: number, post: () => Promise<AttemptOutcome>) {
  const startedAt = performance.now();
  const timed = new Promise<number>((resolve) => {
    setTimeout(() => resolve(performance.now() - startedAt), durationMs);
  });
  const outcome = await post();
  const endedMs = performance.now() - startedAt;
  return { outcome, lateMs: endedMs - (await timed) };
}

// A busy machine may stop this process for a while between two measured instants, so a failed test is repeated. An
// attempt that exceeds its deadline fails every time.
describe('the deadline of an attempt', { retry: 3 }, () => {
  it.each<[Hostility, string]>([
    ['never accepts', 'http'],
    ['never accepts', 'https'],
    ['accepts and never answers', 'http'],
    ['accepts and never answers', 'https'],
    ['sends its head byte by byte', 'http'],
    ['sends its TLS handshake byte by byte', 'https'],
    ['sends its body byte by byte', 'http'],
    ['sends its body byte by byte over TLS', 'https'],
    ['sends an endless body byte by byte', 'http'],
    ['sends a head and no body', 'http'],
    ['sends one provisional reply and nothing else', 'http'],
    ['secures the connection and never answers', 'https'],
  ])('holds within 100 ms when the endpoint %s (%s)', async (hostility, scheme) => {
    const post = posting();
    const { outcome, lateMs } = await latenessMs(deadlineMs, () => post(hostility, { scheme }));

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'timeout' });
    expect(Math.abs(lateMs), `${lateMs} ms late`).toBeLessThan(100);
  });

  it('holds for twenty slow endpoints at once', async () => {
    const longMs = 2500;
    const post = posting({ deadlineMs: longMs });
    const attempts = Array.from({ length: 20 }, () =>
      latenessMs(longMs, () => post('sends one byte of its body each second')),
    );

    for (const { outcome, lateMs } of await Promise.all(attempts)) {
      expect(outcome).toMatchObject({ result: 'failed', errorClass: 'timeout', status: 200 });
      expect(outcome.excerpt).toMatch(/^\.{1,2}$/);
      expect(Math.abs(lateMs), `${lateMs} ms late`).toBeLessThan(100);
    }
  });
});

const failed = (errorClass: string, status?: number) => ({ result: 'failed', errorClass, ...(status && { status }) });
const delivered = (status = 200) => ({ result: 'delivered', status });

describe('two attempts in a row have the expected outcome at an endpoint', () => {
  it.each<[Hostility, object]>([
    ['replies 200', delivered()],
    ['sends 100 Continue after the body', delivered()],
    ['replies 417, although the request has no Expect header', failed('rejected', 417)],
    ['sends endless provisional replies', failed('protocol')],
    ['sends endless early hints', failed('protocol')],
    ['switches protocols', failed('reset')],
    ['sends a body of a gigabyte', { ...delivered(), excerpt: 'a'.repeat(512) }],
    ['sends an error with a body of a gigabyte', failed('server_error', 500)],
    ['sends endless chunks', delivered()],
    ['sends endless chunks of one byte', delivered()],
    ['sends an endless chunk extension', failed('protocol', 200)],
    ['sends endless trailers', failed('protocol', 200)],
    ['sends a megabyte of headers', failed('protocol')],
    ['sends one header of a megabyte', failed('protocol')],
    ['sends an endless status line', failed('protocol')],
    // The first two bytes of gzip are 1f 8b; as text, the second is the replacement character.
    ['sends a gzip bomb', { ...delivered(), excerpt: expect.stringContaining('\u001f\ufffd') }],
    ['resets at once', failed(expect.stringMatching(/^(connect|reset)$/))],
    ['resets after the request', failed('reset')],
    ['resets after the head', failed('reset', 200)],
    ['half-closes at once', failed('reset')],
    ['half-closes after the request', failed('reset')],
    ['half-closes in the head', failed('reset')],
    ['half-closes in the body', failed('reset', 200)],
    ['half-closes in a chunk', failed('reset', 200)],
    ['speaks HTTP/1.0', { ...delivered(), excerpt: 'thanks' }],
    ['speaks HTTP/0.9', failed('protocol')],
    ['speaks HTTP/2', failed('protocol')],
    ['speaks a future HTTP', failed('protocol')],
    ['speaks SSH', failed('protocol')],
    ['sends a status below 100', failed('protocol')],
    ['sends a status of four digits', failed('protocol')],
    ['sends the status 999', failed('server_error', 999)],
    ['sends two lengths', failed('protocol')],
    ['sends a length and chunks', failed('protocol')],
    ['sends a negative length', failed('protocol')],
    ['sends a chunk of impossible size', failed('protocol', 200)],
    ['sends 204 with a body', delivered(204)],
    ['sends an error and a success together', failed('server_error', 500)],
    ['redirects to the metadata address', failed('redirect', 307)],
  ])('that %s', async (hostility, outcome) => {
    // An attempt that waits for its deadline would have a different error class.
    const post = posting({ deadlineMs: 5000 });
    expect(await post(hostility)).toMatchObject(outcome);
    expect(await post(hostility)).toMatchObject(outcome);
  });

  it.each<[Hostility, object]>([
    ['replies 200 over TLS', delivered()],
    ['sends a body of a gigabyte over TLS', delivered()],
    ['has a certificate for another name', failed('tls')],
    ['has an expired certificate', failed('tls')],
    ['has a certificate of an unknown authority', failed('tls')],
    ['secures the connection and ends it', failed('reset')],
    ['speaks SSH', failed('tls')],
    ['resets after the request', failed('tls')],
    ['half-closes after the request', failed('tls')],
  ])('that %s, with https', async (hostility, outcome) => {
    const post = posting({ deadlineMs: 5000 });
    expect(await post(hostility, { scheme: 'https' })).toMatchObject(outcome);
    expect(await post(hostility, { scheme: 'https' })).toMatchObject(outcome);
  });
});

describe('a reply on an idle connection', () => {
  it('ends the connection, and answers no later request', async () => {
    const post = posting({ deadlineMs: 5000 });
    expect(await post('sends an error, and a success while the connection is idle')).toMatchObject({ status: 500 });
    await expect.poll(openSockets, { timeout: 10_000 }).toBeLessThanOrEqual(socketsBefore);
    expect(await post('sends an error, and a success while the connection is idle')).toMatchObject({ status: 500 });
  });
});

describe('the resources of an attempt', () => {
  it('include no open connection after an endpoint answered without reading the request', async () => {
    const outcome = await posting()('answers and reads no request', { body: 'x'.repeat(16 * 1024 ** 2) });
    expect(outcome).toMatchObject(delivered());
    // The sockets must close before `afterEach` closes the poster.
    await expect.poll(openSockets, { timeout: 10_000 }).toBeLessThanOrEqual(socketsBefore);
  });

  it.each<[Hostility, string]>([
    ['sends a body of a gigabyte', 'http'],
    ['sends a body of a gigabyte over TLS', 'https'],
    ['sends endless chunks', 'http'],
    ['sends endless provisional replies', 'http'],
    ['sends a gzip bomb', 'http'],
  ])('are bounded for twenty attempts at once when the endpoint %s (%s)', async (hostility, scheme) => {
    const post = posting({ deadlineMs: 5000 });
    const together = () => Promise.all(Array.from({ length: 20 }, () => post(hostility, { scheme })));
    await together();

    const before = process.memoryUsage().rss;
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 2);
    for (let round = 0; round < 5; round += 1) await together();
    clearInterval(sampling);

    expect((most - before) / 1024 ** 2, 'growth in megabytes').toBeLessThan(64);
  });
});
