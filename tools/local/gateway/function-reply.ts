import type { OutgoingHttpHeaders } from 'node:http';
import { isBinary } from './request-event.ts';
import type { RestApi } from './rest-api.ts';

/** What a function answers with, ready to be sent. */
export interface FunctionReply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

interface ProxyResult {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>> | null;
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
}

/** A synchronous invocation's answer may be this large. */
const payloadLimitBytes = 6 * 1024 * 1024;

/** Headers that API Gateway decides itself; what a function says of them is moved aside. */
const remapped = new Set(['connection', 'content-length', 'date', 'server', 'transfer-encoding', 'www-authenticate']);

function headerName(name: string): string {
  return remapped.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name;
}

/** Headers of both kinds, a name in `multiValueHeaders` adding to the one in `headers`. */
function replyHeaders({ headers, multiValueHeaders }: ProxyResult): OutgoingHttpHeaders {
  const merged = new Map<string, { name: string; values: string[] }>();
  const add = (name: string, values: readonly unknown[]): void => {
    const key = name.toLowerCase();
    const known = merged.get(key)?.values ?? [];
    merged.set(key, { name: headerName(name), values: [...new Set([...known, ...values.map(String)])] });
  };
  for (const [name, value] of Object.entries(headers ?? {})) add(name, [value]);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) add(name, values);
  return Object.fromEntries(
    [...merged.values()].map(({ name, values }) => [name, values.length === 1 ? values[0] : values]),
  );
}

function isWellFormed(result: unknown): result is ProxyResult & { statusCode: number | string; body?: string } {
  if (typeof result !== 'object' || result === null) return false;
  const { statusCode, body } = result as ProxyResult;
  const status = Number(statusCode);
  const hasBody = typeof body === 'string' || body === undefined || body === null;
  return Number.isInteger(status) && status >= 100 && status <= 599 && hasBody;
}

/** Reads a function's answer; undefined when it is not what API Gateway wants, which it answers with 502. */
export function functionReply(payload: string, api: RestApi, accept: string | undefined): FunctionReply | undefined {
  if (Buffer.byteLength(payload) > payloadLimitBytes) return undefined;
  const result: unknown = JSON.parse(payload);
  if (!isWellFormed(result)) return undefined;
  // Only the first media type that the client accepts decides whether base64 is taken apart.
  const decodes = result.isBase64Encoded === true && isBinary(accept?.split(',')[0], api);
  return {
    status: Number(result.statusCode),
    headers: replyHeaders(result),
    body: Buffer.from(result.body ?? '', decodes ? 'base64' : 'utf8'),
  };
}
