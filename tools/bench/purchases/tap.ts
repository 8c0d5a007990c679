import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen, toUrl } from '../../local/ports.ts';

const contentType = 'application/x-amz-json-1.0';

/** A worker's access key is its function's name, `W` and its thread; nobody else's looks so. */
const ofWorker = /Credential=[^/]+W\d+\//;
const writing = /^DynamoDB_\d+\.((?:Put|Update|Delete|BatchWrite|TransactWrite)\w*)$/;

/** One call that changed the table, as it was sent. */
export interface RecordedWrite {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A way to DynamoDB Local that keeps what functions write. */
export interface Tap {
  readonly endpoint: string;
  /** What went through since the last call, in the order of the answers. */
  drain(): RecordedWrite[];
  stop(): Promise<void>;
}

/** Stands before DynamoDB Local and keeps every write of a function that it did, byte for byte. */
export async function startTap(target: string): Promise<Tap> {
  const writes: RecordedWrite[] = [];
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', 'x-amz-target': action = '' } = request.headers;
    const headers = { authorization, 'x-amz-target': String(action), 'content-type': contentType };
    const body = await text(request);
    const answer = await fetch(target, { method: 'POST', headers, body });
    const operation = writing.exec(String(action))?.[1];
    if (operation !== undefined && answer.ok && ofWorker.test(authorization)) {
      writes.push({ operation, input: JSON.parse(body) });
    }
    response.writeHead(answer.status, { 'content-type': contentType }).end(await answer.text());
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server);
  return { endpoint: toUrl(port), drain: () => writes.splice(0), stop: () => close(server) };
}
