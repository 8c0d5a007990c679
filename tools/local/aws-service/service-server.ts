import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen, toUrl } from '../ports.ts';

/** An error of an AWS API. The reply contains its code, and the SDKs throw an exception of that name. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** The request violates a constraint of the API. */
export function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}

/** A request to an AWS API. Its credentials are not checked. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON object; empty for a request without body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The HTTP server of one AWS service, on the loopback interface. */
export interface ServiceServer {
  /** Starts to listen and returns the base URL. Port 0, the default, takes any free port. */
  listen(port?: number): Promise<string>;
  close(): Promise<void>;
}

export interface ServiceServerOptions {
  readonly contentType: string;
  /** Returns the body of a 200 reply. An AwsError becomes an error reply. */
  readonly handle: (request: ServiceRequest) => object | Promise<object>;
}

/** Serves bodies, errors and request ids in the form that the SDKs and the AWS CLI expect. */
export function createServiceServer(options: ServiceServerOptions): ServiceServer {
  const server = createServer((incoming, outgoing) => void answerCall(incoming, outgoing, options));
  return {
    listen: async (port) => toUrl(await listen(server, port)),
    close: () => close(server),
  };
}

/** Answers one call of an AWS API, for a server that also answers other requests. */
export async function answerCall(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { contentType, handle }: ServiceServerOptions,
): Promise<void> {
  const headers = { 'content-type': contentType, 'x-amzn-requestid': randomUUID() };
  try {
    const result = await handle(await readRequest(incoming));
    outgoing.writeHead(200, headers).end(JSON.stringify(result));
  } catch (error) {
    const { code, message, status } = toAwsError(error);
    outgoing
      .writeHead(status, { ...headers, 'x-amzn-errortype': code })
      .end(JSON.stringify({ __type: code, message, Message: message }));
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  return {
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', 'http://localhost'),
    headers: incoming.headers,
    body: parseBody(await text(incoming)),
  };
}

function parseBody(body: string): Readonly<Record<string, unknown>> {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Text that is not JSON is refused below, like JSON that is not an object.
  }
  throw new AwsError('SerializationException', 'The request body is not a JSON object');
}

/** Any error that is not an AwsError is a fault of this emulation: it becomes an InternalFailure with status 500. */
function toAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError('InternalFailure', error instanceof Error ? `${error.name}: ${error.message}` : `${error}`, 500);
}
