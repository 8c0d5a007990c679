import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findFreePort } from '../../tools/local/ports.ts';
import { posting } from './posting.ts';

const { post, receiving, receivingRaw } = posting();

describe('post()', () => {
  it('sends one POST request with the signed body and the given headers', async () => {
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

  it('uses one connection for two attempts, and returns the duration of each attempt', async () => {
    const receiver = await receiving();
    const first = await post(receiver.url);
    const second = await post(receiver.url);

    expect(receiver.connections).toBe(1);
    expect(first.timing).toMatchObject({ connectMs: expect.any(Number), firstByteMs: expect.any(Number) });
    expect(second.timing.connectMs).toBeUndefined();
    expect(second.timing.totalMs).toBeGreaterThan(0);
  });

  it('opens a new connection when the endpoint has closed the unused one', async () => {
    let answered = 0;
    const url = await receivingRaw((socket) => {
      socket.on('data', () => {
        answered += 1;
        // Closes the connection at its second request, as after the endpoint's idle time.
        if (answered === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    expect(await post(url)).toMatchObject({ result: 'delivered' });
    expect(await post(url)).toMatchObject({ result: 'delivered' });
    expect(answered).toBe(3);
  });
});

describe('the outcome of post()', () => {
  it.each([301, 302, 303, 307, 308])(
    'is a failure, without a further request, when the endpoint replies with the redirect %d',
    async (status) => {
      const target = await receiving();
      const receiver = await receiving((response) => response.writeHead(status, { location: target.url }).end());

      expect(await post(receiver.url)).toMatchObject({ result: 'failed', errorClass: 'redirect', status });
      expect(target.connections).toBe(0);
    },
  );

  it('contains the value of the header Retry-After', async () => {
    const receiver = await receiving((response) => response.writeHead(503, { 'retry-after': '90' }).end('later'));
    const outcome = await post(receiver.url);
    expect(outcome).toMatchObject({ errorClass: 'server_error', status: 503, retryAfterSeconds: 90, excerpt: 'later' });
  });

  it('has the error class connect when nothing listens', async () => {
    const outcome = await post(`http://127.0.0.1:${await findFreePort()}/`);
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'connect' });
  });

  it('has the error class tls when the endpoint lacks TLS', async () => {
    const receiver = await receiving();
    const outcome = await post(`https://127.0.0.1:${receiver.port}/`);
    expect(outcome).toMatchObject({ result: 'failed', errorClass: 'tls' });
  });

  it.each([
    ['closes the connection without a reply', (socket: Socket) => socket.once('data', () => socket.end()), 'reset'],
    ['resets the connection', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()), 'reset'],
    [
      'replies in another protocol',
      (socket: Socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')),
      'protocol',
    ],
    [
      'ends the connection in its reply',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
      'reset',
    ],
    [
      'sends endless headers',
      (socket: Socket) => socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(9000)}`)),
      'protocol',
    ],
  ])('is a failure with the error class $2 when the endpoint $0', async (_, connected, errorClass) => {
    expect(await post(await receivingRaw(connected))).toMatchObject({ result: 'failed', errorClass });
  });

  it('is a failure when the endpoint switches protocols', async () => {
    const url = await receivingRaw((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      );
    });
    expect(await post(url)).toMatchObject({ result: 'failed' });
  });
});
