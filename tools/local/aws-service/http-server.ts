import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsError } from './aws-error.ts';

/** A request to an AWS API; whatever credentials it carries are accepted. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  /** The body read as a JSON object; empty when there was none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A service that can be reached over HTTP on this machine. */
export interface ServiceServer {
  /** Starts to listen and resolves to the base URL. Port 0, the default, takes any free one. */
  listen(port?: number): Promise<string>;
  close(): Promise<void>;
}

export interface ServiceServerOptions {
  readonly contentType: string;
  /** What the service answers: an object for the body of a 200. An AwsError becomes its error reply. */
  readonly handle: (request: ServiceRequest) => object | Promise<object>;
}

/** Puts a service on HTTP: bodies, errors and request ids as the SDKs and the AWS CLI expect them. */
export function createServiceServer(options: ServiceServerOptions): ServiceServer {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, options));
  return {
    async listen(port = 0) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, '127.0.0.1', resolve);
      });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { contentType, handle }: ServiceServerOptions,
): Promise<void> {
  const headers = { 'content-type': contentType, 'x-amzn-requestid': randomUUID() };
  try {
    const result = await handle(await readRequest(incoming));
    outgoing.writeHead(200, headers).end(JSON.stringify(result));
  } catch (error) {
    const { code, message, status } = asAwsError(error);
    outgoing
      .writeHead(status, { ...headers, 'x-amzn-errortype': code })
      .end(JSON.stringify({ __type: code, message, Message: message }));
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', 'http://localhost'),
    headers: incoming.headers,
    body: readBody(Buffer.concat(chunks).toString('utf8')),
  };
}

function readBody(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // Refused below, together with what is JSON but not an object.
  }
  throw new AwsError('SerializationException', 'The request body is not a JSON object');
}

/** Anything unforeseen is this emulation's own mistake: it says so instead of posing as an AWS refusal. */
function asAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError('InternalFailure', error instanceof Error ? `${error.name}: ${error.message}` : `${error}`, 500);
}
