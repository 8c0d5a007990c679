import { createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../local/ports.ts';
import { createPoster } from '../../shared/webhooks/post.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receiver.ts';

const policy = { httpHosts: ['127.0.0.1'] };
const now = () => new Date('2026-03-01T12:00:00.000Z');
const deadlineMs = 400;
const poster = createPoster({ policy, now, deadlineMs });
afterAll(() => poster.close());

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

async function receiving(answer?: Answering): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  closing.push(receiver);
  return receiver;
}

/** An endpoint below HTTP, to break its rules. */
async function receivingRaw(connected: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => connected(socket.on('error', () => {})));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  closing.push(server);
  return `http://127.0.0.1:${port}/`;
}

const post = (endpointUrl: string, body = '{"event":"x"}') =>
  poster.post({ endpointUrl, headers: { 'x-platform-event-id': 'event-1' }, body });

describe('a delivery', () => {
  it('is one POST of the body as it was signed, with the headers that it was given', async () => {
    const receiver = await receiving();
    const body = '{"event":"Zürich"}';
    const outcome = await post(`${receiver.url}/hooks?tenant=7`, body);

    expect(outcome).toMatchObject({ result: 'delivered', status: 200, address: '127.0.0.1', excerpt: '{"ok":true}' });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]).toMatchObject({
      method: 'POST',
      path: '/hooks?tenant=7',
      body,
      headers: {
        'content-type': 'application/json',
        'content-length': '19',
        'accept-encoding': 'identity',
        'x-platform-event-id': 'event-1',
      },
    });
  });

  it('uses one connection for many, and says where the time of each went', async () => {
    const receiver = await receiving();
    const first = await post(receiver.url);
    const second = await post(receiver.url);

    expect(receiver.connections).toBe(1);
    expect(first.timing).toMatchObject({ connectMs: expect.any(Number), firstByteMs: expect.any(Number) });
    expect(second.timing.connectMs).toBeUndefined();
    expect(second.timing.totalMs).toBeGreaterThan(0);
  });

  it('that meets a kept connection which the endpoint has just closed is made on a new one', async () => {
    let answered = 0;
    const url = await receivingRaw((socket) => {
      socket.on('data', () => {
        answered += 1;
        // The second request on a connection finds it closed, as after the endpoint's idle time.
        if (answered === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    expect(await post(url)).toMatchObject({ result: 'delivered' });
    expect(await post(url)).toMatchObject({ result: 'delivered' });
    expect(answered).toBe(3);
  });
});

describe('an endpoint', () => {
  it.each([301, 302, 303, 307, 308])('that redirects with %d is not followed', async (status) => {
    const target = await receiving();
    const receiver = await receiving((response) => response.writeHead(status, { location: target.url }).end());

    expect(await post(receiver.url)).toMatchObject({ result: 'failed', errorClass: 'redirect', status });
    expect(target.connections).toBe(0);
  });

  it('that asks for time by Retry-After is heard', async () => {
    const receiver = await receiving((response) => response.writeHead(503, { 'retry-after': '90' }).end('later'));
    const outcome = await post(receiver.url);
    expect(outcome).toMatchObject({ errorClass: 'server_error', status: 503, retryAfterSeconds: 90, excerpt: 'later' });
  });

  it('that nobody listens at is a failure to connect', async () => {
    const outcome = await post(`http://127.0.0.1:${await anyFreePort()}/`);
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'connect' });
  });

  it('that speaks no TLS is a failure of TLS', async () => {
    const receiver = await receiving();
    const outcome = await post(`https://127.0.0.1:${receiver.port}/`);
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'tls' });
  });

  it.each([
    ['closes without an answer', (socket: Socket) => socket.once('data', () => socket.end()), 'reset'],
    ['resets', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()), 'reset'],
    ['speaks something else', (socket: Socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')), 'protocol'],
    [
      'breaks off in its answer',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
      'reset',
    ],
    [
      'sends endless headers',
      (socket: Socket) => socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(9000)}`)),
      'protocol',
    ],
  ])('that %s is a failure', async (_, connected, errorClass) => {
    expect(await post(await receivingRaw(connected))).toMatchObject({ result: 'failed', errorClass });
  });

  it('that switches protocols has delivered nothing', async () => {
    const url = await receivingRaw((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      );
    });
    expect(await post(url)).toMatchObject({ result: 'failed' });
  });
});

describe('the deadline', () => {
  const dripping = (response: Parameters<Answering>[0], everyMs: number) => {
    const drip = setInterval(() => response.write('.'), everyMs);
    response.on('close', () => clearInterval(drip));
  };

  it.each<[string, Answering]>([
    ['never answers', () => {}],
    ['answers only provisionally', (response) => response.writeProcessing()],
    ['sends its head and no body', (response) => response.writeHead(200).flushHeaders()],
    [
      'drips its body',
      (response) => {
        response.writeHead(200);
        dripping(response, 20);
      },
    ],
  ])('ends an attempt at an endpoint that %s, and its connection', async (_, answer) => {
    let closed = false;
    const receiver = await receiving((response, request, received) => {
      request.socket.on('close', () => {
        closed = true;
      });
      answer(response, request, received);
    });
    const outcome = await post(receiver.url);

    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'timeout' });
    expect(outcome.timing.totalMs).toBeGreaterThanOrEqual(deadlineMs - 5);
    expect(outcome.timing.totalMs).toBeLessThan(deadlineMs + 100);
    await expect.poll(() => closed).toBe(true);
  });

  it('ends an attempt at an endpoint that drips its head', async () => {
    const url = await receivingRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-head: ');
      const drip = setInterval(() => socket.write('.'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await post(url);
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'timeout' });
    expect(outcome.timing.totalMs).toBeLessThan(deadlineMs + 100);
  });
});

describe('the answer', () => {
  /** Sends for as long as the other side takes it, and tells how much that was. */
  function flood(chunk: Buffer, headers: Record<string, string> = {}) {
    const sent = { bytes: 0 };
    const answer: Answering = (response) => {
      response.writeHead(200, headers);
      const more = () => {
        while (!response.destroyed && sent.bytes < 1024 ** 3) {
          sent.bytes += chunk.length;
          if (!response.write(chunk)) return response.once('drain', more);
        }
      };
      more();
    };
    return { sent, answer };
  }

  it('of a gigabyte costs neither its time nor its memory', async () => {
    const { sent, answer } = flood(Buffer.alloc(64 * 1024, 'a'));
    const receiver = await receiving(answer);
    const before = process.memoryUsage().rss;
    const outcome = await post(receiver.url);

    expect(outcome).toMatchObject({ result: 'delivered', status: 200, excerpt: 'a'.repeat(512) });
    expect(outcome.timing.totalMs).toBeLessThan(deadlineMs);
    // What the operating system buffers between the two, and no more.
    expect(sent.bytes).toBeLessThan(32 * 1024 ** 2);
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 ** 2);
  });

  it('that is a gzip bomb stays packed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2));
    const receiver = await receiving((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const outcome = await post(receiver.url);

    expect(outcome).toMatchObject({ result: 'delivered' });
    expect(outcome.excerpt?.length).toBeLessThanOrEqual(512);
    expect(outcome.timing.totalMs).toBeLessThan(deadlineMs);
  });

  it('of up to 16 KB leaves the connection for the next; a larger one does not', async () => {
    let bytes = 16 * 1024;
    const receiver = await receiving((response) => response.end(Buffer.alloc(bytes, 'a')));
    await post(receiver.url);
    await post(receiver.url);
    expect(receiver.connections).toBe(1);

    bytes = 256 * 1024;
    expect(await post(receiver.url)).toMatchObject({ result: 'delivered' });
    await post(receiver.url);
    expect(receiver.connections).toBe(2);
  });
});
