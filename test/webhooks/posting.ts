import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach } from 'vitest';
import { createPoster } from '../../shared/webhooks/post.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receiver.ts';

/** The deadline is far away: if an attempt waits for it, the test fails. */
const deadlineMs = 5000;

/** A poster and its endpoints for one test file. The endpoints end with their test. */
export function posting() {
  const now = () => new Date('2026-03-01T12:00:00.000Z');
  const poster = createPoster({ policy: { httpHosts: ['127.0.0.1'] }, now, deadlineMs });
  afterAll(() => poster.close());

  const closing: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
  });

  return {
    post: (endpointUrl: string, body = '{"event":"x"}') =>
      poster.post({ endpointUrl, headers: { 'x-platform-event-id': 'event-1' }, body }),

    async receiving(answer?: Answering): Promise<Receiver> {
      const receiver = await startReceiver(answer);
      closing.push(receiver);
      return receiver;
    },

    /** An endpoint on plain TCP, with which a test can violate the rules of HTTP. */
    async receivingRaw(connected: (socket: Socket) => void): Promise<string> {
      const server = createTcpServer((socket) => connected(socket.on('error', () => {})));
      const port = await new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
      });
      closing.push(server);
      return `http://127.0.0.1:${port}/`;
    },
  };
}
