import { setTimeout as sleep } from 'node:timers/promises';
import { showReply, showRequest } from './narrator.ts';

/** A reply with its parsed body. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the story reads bodies of all shapes
  readonly body: any;
}

export interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

/** The transaction_status of a completed transaction. */
export const completed = 3;

/** How long the story waits for something that happens after a reply. */
export const waitLimitMs = 15_000;

/** Builds the header of a partner API key or a user token. */
export function toKeyHeader(secret: string): { 'x-api-key': string } {
  return { 'x-api-key': secret };
}

/**
 * Sends a request and prints it with its reply.
 * @throws Error when the reply has another status than expected
 */
export async function send(expected: number, method: string, url: string, request: Request): Promise<Reply> {
  const { headers, body } = encodeRequest(request);
  showRequest(method, url, { headers, body });
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const reply = { status: response.status, body: await response.json() };
  showReply(reply.status, reply.body);
  if (reply.status !== expected) throw new Error(`${method} ${url} returned ${reply.status} instead of ${expected}`);
  return reply;
}

/** Sends a GET request without printing it. */
export async function getSilently(url: string, headers: Request['headers']): Promise<Reply> {
  const response = await fetch(url, { headers });
  return { status: response.status, body: await response.json() };
}

/**
 * Calls `find` until it returns a value.
 * @throws Error with `failure` after {@link waitLimitMs}
 */
export async function waitFor<Value>(find: () => Promise<Value | undefined>, failure: string): Promise<Value> {
  const deadline = performance.now() + waitLimitMs;
  while (performance.now() < deadline) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error(`${failure} within ${waitLimitMs / 1000} seconds`);
}

function encodeRequest({ headers, json, form }: Request): { headers: Record<string, string>; body?: string } {
  if (json !== undefined) {
    return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  }
  if (form === undefined) return { headers: { ...headers } };
  const type = 'application/x-www-form-urlencoded';
  return { headers: { ...headers, 'content-type': type }, body: new URLSearchParams(form).toString() };
}
