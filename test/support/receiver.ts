import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen, toUrl } from '../../tools/local/ports.ts';

/** A received delivery. */
interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A partner's endpoint on loopback. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** The number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Answers one delivery after its body was read. */
export type Answering = (response: ServerResponse, request: IncomingMessage, received: Received) => void;

const thanks: Answering = (response) => response.writeHead(200).end('{"ok":true}');

/** Starts an endpoint with configurable replies. Default: 200. */
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
