/** A reply that the gateway gives by itself, as the template customises it. */
export interface GatewayResponse {
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The values that `$context.…` stands for. */
export type Context = Readonly<Record<string, unknown>>;

/** What API Gateway says when nothing is customised. */
const defaults = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  // Documented as 504; a function that fails or answers wrongly is answered with 502.
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
} as const;
export type GatewayError = keyof typeof defaults;

function valueAt(context: Context, path: string): string {
  const value = path.split('.').reduce<unknown>((found, name) => (found as Context | undefined)?.[name], context);
  return value === undefined || value === null ? '' : String(value);
}

/** Replaces `$context.…` in a template: gateway responses know no other expression. */
export function substitute(template: string, context: Context): string {
  return template.replace(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_whole, path: string) => valueAt(context, path));
}

/** A header's value: a literal in single quotes, or where in the request or context it is found. */
export function parameterValue(
  expression: string,
  context: Context,
  requestHeaders: Readonly<Record<string, string>> = {},
): string {
  const literal = /^'(.*)'$/.exec(expression)?.[1];
  if (literal !== undefined) return literal;
  if (expression.startsWith('context.')) return valueAt(context, expression.slice('context.'.length));
  const header = /^method\.request\.header\.(.+)$/.exec(expression)?.[1]?.toLowerCase();
  const found = Object.entries(requestHeaders).find(([name]) => name.toLowerCase() === header);
  return found?.[1] ?? '';
}

/** The reply to a request that no function answers. */
export function gatewayReply(
  error: GatewayError,
  responses: ReadonlyMap<string, GatewayResponse>,
  context: Context,
  requestHeaders: Readonly<Record<string, string>> = {},
): Reply {
  const { status, message } = defaults[error];
  const custom = responses.get(error) ?? responses.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const full = { ...context, error: { message, messageString: JSON.stringify(message), responseType: error } };
  const template = custom?.ResponseTemplates?.['application/json'] ?? '{"message":$context.error.messageString}';
  const parameters = Object.entries(custom?.ResponseParameters ?? {}).map(([name, expression]) => [
    name.replace('gatewayresponse.header.', ''),
    parameterValue(expression, full, requestHeaders),
  ]);
  return {
    status: Number(custom?.StatusCode ?? status),
    headers: { 'Content-Type': 'application/json', ...Object.fromEntries(parameters) },
    body: substitute(template, full),
  };
}
