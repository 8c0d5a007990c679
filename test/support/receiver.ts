import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen, toUrl } from '../../tools/local/ports.ts';

/** A delivery as it arrived. */
interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An endpoint of a partner's, on loopback. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** How many connections were ever made to it. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Answers one delivery; it was read as a whole before. */
export type Answering = (response: ServerResponse, request: IncomingMessage, received: Received) => void;

const thanks: Answering = (response) => response.writeHead(200).end('{"ok":true}');

/** Starts an endpoint that answers as it is told to; 200 unless said. */
export async function startReceiver(answer: Answering = thanks): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url: path, headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    answer(response, request, one);
  });
  server.on('connection', () => {
    connections += 1;
  });

  const port = await listen(server);
  return {
    url: toUrl(port),
    port,
    received,
    get connections() {
      return connections;
    },
    close: () => close(server),
  };
}
