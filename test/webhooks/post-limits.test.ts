import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createPoster } from '../../shared/webhooks/post.ts';
import type { Answering } from '../support/receiver.ts';
import { deadlineMs, posting } from './posting.ts';

const { post, receiving, receivingRaw } = posting();

describe('the deadline of post()', () => {
  const dripping = (response: Parameters<Answering>[0], everyMs: number) => {
    const drip = setInterval(() => response.write('.'), everyMs);
    response.on('close', () => clearInterval(drip));
  };

  it.each<[string, Answering]>([
    ['does not reply', () => {}],
    ['sends only a provisional reply', (response) => response.writeProcessing()],
    ['sends a head without a body', (response) => response.writeHead(200).flushHeaders()],
    [
      'sends its body byte by byte',
      (response) => {
        response.writeHead(200);
        dripping(response, 20);
      },
    ],
  ])('ends the attempt and the connection when the endpoint %s', async (_, answer) => {
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

  it('ends the attempt when the endpoint sends the head of its reply byte by byte', async () => {
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

describe('the reply of an endpoint', () => {
  /** Sends as long as the other side reads, and counts the bytes. */
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

  it('of a gigabyte is neither read completely nor kept in memory', async () => {
    const { sent, answer } = flood(Buffer.alloc(64 * 1024, 'a'));
    const receiver = await receiving(answer);
    const before = process.memoryUsage().rss;
    const outcome = await post(receiver.url);

    expect(outcome).toMatchObject({ result: 'delivered', status: 200, excerpt: 'a'.repeat(512) });
    expect(outcome.timing.totalMs).toBeLessThan(deadlineMs);
    // No more than the buffers of the operating system.
    expect(sent.bytes).toBeLessThan(32 * 1024 ** 2);
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 ** 2);
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2));
    const receiver = await receiving((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const outcome = await post(receiver.url);

    expect(outcome).toMatchObject({ result: 'delivered' });
    expect(outcome.excerpt?.length).toBeLessThanOrEqual(512);
    expect(outcome.timing.totalMs).toBeLessThan(deadlineMs);
  });

  it('keeps the connection open only when it has at most 16 KB', async () => {
    let bytes = 16 * 1024;
    const receiver = await receiving((response) => response.end(Buffer.alloc(bytes, 'a')));
    await post(receiver.url);
    await post(receiver.url);
    expect(receiver.connections).toBe(1);

    // Small enough to arrive complete with the part that is too much.
    bytes = 17 * 1024;
    expect(await post(receiver.url)).toMatchObject({ result: 'delivered' });
    await post(receiver.url);
    expect(receiver.connections).toBe(2);
  });
});

describe('kept connections', () => {
  it('are as many as there may be; one more is closed after its request', async () => {
    const poster = createPoster({ policy: { httpHosts: ['127.0.0.1'] }, now: () => new Date(), maximumConnections: 2 });
    const receivers = [await receiving(), await receiving(), await receiving()];
    for (const { url } of [...receivers, ...receivers]) {
      const outcome = await poster.post({ endpointUrl: url, headers: {}, body: '{}' });
      expect(outcome).toMatchObject({ result: 'delivered' });
    }
    poster.close();

    expect(receivers.map(({ connections }) => connections)).toEqual([1, 1, 2]);
  });
});
