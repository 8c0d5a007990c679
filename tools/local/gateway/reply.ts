import type { OutgoingHttpHeaders } from 'node:http';
import { type GatewayResponse, type Integration, isBinary, type RestApi } from './rest-api.ts';

/** A reply to a client. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** The request's facts that templates can use. `$context.…` and `context.…` look values up in `context`. */
export interface TemplateInput {
  readonly context: Readonly<Record<string, unknown>>;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** API Gateway's own replies, where the template does not replace them. */
const defaultReplies = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  // Documented as 504. In practice, a function that fails or returns a malformed result causes 502.
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
} as const;
export type GatewayError = keyof typeof defaultReplies;

/** Builds the gateway's own reply to a request that no function answers. */
export function buildGatewayReply(
  error: GatewayError,
  responses: ReadonlyMap<string, GatewayResponse>,
  input: TemplateInput,
): Reply {
  const { status, message } = defaultReplies[error];
  const custom = responses.get(error) ?? responses.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const errorContext = { message, messageString: JSON.stringify(message), responseType: error };
  const full = { ...input, context: { ...input.context, error: errorContext } };
  const template = custom?.ResponseTemplates?.['application/json'] ?? '{"message":$context.error.messageString}';
  const headers = evaluateHeaders(custom?.ResponseParameters, 'gatewayresponse.header.', full);
  return {
    status: Number(custom?.StatusCode ?? status),
    headers: { 'Content-Type': 'application/json', ...headers },
    body: fillTemplate(template, full),
  };
}

/** API Gateway's reply to a request whose line or headers are too long to read. The template cannot replace it. */
const oversizeReplies = {
  line: { status: 414, message: 'An HTTP line is larger than 10240 bytes.' },
  header: { status: 431, message: 'HTTP header is larger than 10240 bytes.' },
} as const;

/** Builds the reply to a request with a line or headers above the limit. The connection ends after it. */
export function buildOversizeReply(part: keyof typeof oversizeReplies): Reply {
  const { status, message } = oversizeReplies[part];
  return { status, headers: { Connection: 'close' }, body: Buffer.from(JSON.stringify({ message })) };
}

/**
 * Builds the reply of a mock integration. The request template of the integration names a status. The response whose
 * pattern matches this status is the reply. A response without a pattern is for every other status.
 */
export function buildMockReply(
  { RequestTemplates, IntegrationResponses = [] }: Integration,
  input: TemplateInput,
): Reply {
  // The quotes of `statusCode` are optional in API Gateway, and CDK leaves them out.
  const [, named = '200'] = /"?statusCode"?\s*:\s*(\d+)/.exec(RequestTemplates?.['application/json'] ?? '') ?? [];
  const response =
    IntegrationResponses.find(
      ({ SelectionPattern: pattern }) => pattern && new RegExp(`^(?:${pattern})$`).test(named),
    ) ?? IntegrationResponses.find(({ SelectionPattern: pattern }) => !pattern);
  const withoutHeaders = { ...input, headers: [] };
  return {
    status: Number(response?.StatusCode ?? 500),
    headers: evaluateHeaders(response?.ResponseParameters, 'method.response.header.', withoutHeaders),
    body: fillTemplate(response?.ResponseTemplates?.['application/json'] ?? '', input),
  };
}

function evaluateHeaders(
  parameters: Readonly<Record<string, string>> = {},
  prefix: string,
  input: TemplateInput,
): OutgoingHttpHeaders {
  const headers = Object.entries(parameters).map(([name, expression]) => [
    name.replace(prefix, ''),
    evaluateParameter(expression, input),
  ]);
  return Object.fromEntries(headers);
}

/** Replaces `$context.…`, the only expression that the templates of this platform use. */
function fillTemplate(template: string, { context }: TemplateInput): Buffer {
  const text = template.replace(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_whole, path: string) =>
    lookUp(context, path),
  );
  return Buffer.from(text);
}

/** Evaluates a header's expression: a literal in single quotes, a value of the context, or a request header. */
function evaluateParameter(expression: string, { context, headers }: TemplateInput): string {
  const literal = /^'(.*)'$/.exec(expression)?.[1];
  if (literal !== undefined) return literal;
  if (expression.startsWith('context.')) return lookUp(context, expression.slice('context.'.length));
  const header = /^method\.request\.header\.(.+)$/.exec(expression)?.[1]?.toLowerCase();
  return headers.findLast(([name]) => name.toLowerCase() === header)?.[1] ?? '';
}

function lookUp(context: object, path: string): string {
  const value = path.split('.').reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), context);
  return value === undefined || value === null ? '' : String(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

interface ProxyResult {
  readonly statusCode: number | string;
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: unknown;
}

/** Lambda's limit for the result of a synchronous invocation. */
const payloadLimitBytes = 6 * 1024 * 1024;

/** Reads a function's result. Returns undefined when it is malformed; API Gateway answers that with 502. */
export function readFunctionReply(payload: string, api: RestApi, accept: string | undefined): Reply | undefined {
  if (Buffer.byteLength(payload) > payloadLimitBytes) return undefined;
  const result: unknown = JSON.parse(payload);
  if (!isProxyResult(result)) return undefined;
  // API Gateway decodes base64 only if the first media type that the client accepts is binary.
  const isDecoded = result.isBase64Encoded === true && isBinary(accept?.split(',')[0], api);
  return {
    status: Number(result.statusCode),
    headers: mergeHeaders(result),
    body: Buffer.from(result.body ?? '', isDecoded ? 'base64' : 'utf8'),
  };
}

function isProxyResult(result: unknown): result is ProxyResult {
  if (!isRecord(result)) return false;
  const { statusCode, body } = result;
  const status = Number(statusCode);
  const hasTextOrNoBody = typeof body === 'string' || body === undefined || body === null;
  return Number.isInteger(status) && status >= 100 && status <= 599 && hasTextOrNoBody;
}

/** API Gateway sets these headers itself and renames the function's headers of these names. */
const remappedHeaders = new Set([
  ...['connection', 'content-length', 'date', 'server', 'transfer-encoding', 'www-authenticate'],
]);

/** Merges `headers` and `multiValueHeaders`. A name that both contain gets the values of both. */
function mergeHeaders({ headers, multiValueHeaders }: ProxyResult): OutgoingHttpHeaders {
  const merged = new Map<string, { name: string; values: string[] }>();
  const add = (name: string, values: readonly unknown[]): void => {
    const key = name.toLowerCase();
    const known = merged.get(key)?.values ?? [];
    const sentName = remappedHeaders.has(key) ? `x-amzn-Remapped-${name}` : name;
    merged.set(key, { name: sentName, values: [...new Set([...known, ...values.map(String)])] });
  };
  for (const [name, value] of Object.entries(headers ?? {})) add(name, [value]);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) add(name, values);
  return Object.fromEntries(
    [...merged.values()].map(({ name, values }) => [name, values.length === 1 ? values[0] : values]),
  );
}
