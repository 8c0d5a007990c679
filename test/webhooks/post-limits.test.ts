import { describe, expect, it } from 'vitest';
import { createPoster } from '../../shared/webhooks/post.ts';
import type { Answering } from '../support/receiver.ts';
import { posting } from './posting.ts';

const { post, receiving } = posting();

describe('an endpoint’s reply', () => {
  /** Sends as long as the other side reads, and counts the bytes. */
  function flood(chunk: Buffer) {
    const sent = { bytes: 0 };
    const answer: Answering = (response) => {
      response.writeHead(200);
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

  it('is not read completely when it has a gigabyte', async () => {
    const { sent, answer } = flood(Buffer.alloc(64 * 1024, 'a'));
    const receiver = await receiving(answer);
    const outcome = await post(receiver.url);

    expect(outcome).toMatchObject({ result: 'delivered', status: 200, excerpt: 'a'.repeat(512) });
    // The endpoint could send no more than the buffers of the operating system hold.
    expect(sent.bytes).toBeLessThan(32 * 1024 ** 2);
  });

  it('keeps the connection open only up to 16 KB', async () => {
    let bytes = 16 * 1024;
    const receiver = await receiving((response) => response.end(Buffer.alloc(bytes, 'a')));
    await post(receiver.url);
    await post(receiver.url);
    expect(receiver.connections).toBe(1);

    // The body is too long, but short enough to arrive completely.
    bytes = 17 * 1024;
    expect(await post(receiver.url)).toMatchObject({ result: 'delivered' });
    await post(receiver.url);
    expect(receiver.connections).toBe(2);
  });
});

describe('a reply in many pieces', () => {
  it('closes the connection when there are more than 256 pieces', async () => {
    let pieces = 256;
    const receiver = await receiving((response) => {
      for (let piece = 0; piece < pieces; piece += 1) response.write('a');
      response.end();
    });
    await post(receiver.url);
    await post(receiver.url);
    expect(receiver.connections).toBe(1);

    pieces = 257;
    expect(await post(receiver.url)).toMatchObject({ result: 'delivered' });
    await post(receiver.url);
    expect(receiver.connections).toBe(2);
  });
});

describe('the connections that post() keeps open', () => {
  it('do not exceed the maximum', async () => {
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
