import type { AnyContract } from '../../../shared/contracts/contract.ts';

/** A reply from a handler or over HTTP. Header names are in lower case. */
export interface FuzzedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const internals = /\bat (\S+ \()?[^\s"]+:\d+:\d+|node_modules|\.[cm]?[jt]s:\d|@aws|DynamoDB|\$?Zod[A-Z]|@middy|ECONN/;

/**
 * Cursors and tokens, as values or in URLs. They are not searched for internal words, because random characters may
 * spell one.
 */
const opaque = /(?<=["/=])(?=[A-Za-z_-]*\d)[\w-]{40,}(?=["/?&])/g;

/** Lambda allows replies of 6 MB. A reply to these requests needs far less. */
const largestReply = 256 * 1024;

/**
 * Returns why a reply breaks its contract, or undefined. A valid reply is a success in its envelope, or a refusal in
 * the endpoint's error shape. It has the right content type and the request's id, and no internal names.
 *
 * @param identifiers of the gateway's own refusals
 */
export function brokenPromise(
  contract: AnyContract,
  { status, headers, text }: FuzzedReply,
  identifiers: readonly string[] = [],
): string | undefined {
  if (status < 200 || status >= 500) return `status ${status}`;
  if (!headers['x-request-id']) return 'no x-request-id';
  if (Object.values(headers).some((value) => /[\r\n]/.test(value))) return 'a header that is two';
  if (text.length > largestReply) return `a reply of ${text.length} characters`;
  if (internals.test(text.replace(opaque, ''))) return 'something of the inside';
  const type = headers['content-type'] ?? '';
  if (type.startsWith('text/html')) return contract.envelope === 'page' ? undefined : 'a page';
  if (!type.startsWith('application/json')) return `type ${type}`;
  const body: unknown = JSON.parse(text);
  return status < 300
    ? brokenSuccess(contract, body)
    : brokenRefusal(contract, body, headers['x-request-id'], identifiers);
}

function brokenSuccess({ envelope = 'data', data }: AnyContract, body: unknown): string | undefined {
  const { code, ...rest } = body as { code?: unknown; data?: unknown };
  if (envelope !== 'bare' && code !== 'ok') return 'a success without code ok';
  const shown = envelope === 'bare' ? body : envelope === 'list' ? rest : rest.data;
  const result = data.safeParse(shown);
  return result.success
    ? undefined
    : `a success of another shape: ${JSON.stringify(result.error.issues).slice(0, 300)}`;
}

/** How the validator's own messages begin, with and without its English locale. No fault may have such a message. */
const validatorWords = /^(Invalid|Expected|Unrecognized|Too (big|small)|Required)\b|, received /;

/** Endpoints with a limit of their own, which many requests reach. */
const limited: ReadonlySet<string> = new Set(['test-webhook']);

const anywhere = ['request_too_large', 'idempotency_key_reused', 'request_in_progress'];

function brokenRefusal(
  contract: AnyContract,
  body: unknown,
  requestId: string,
  more: readonly string[],
): string | undefined {
  const fields = body as Record<string, unknown>;
  const { invalid, expired, forbidden } = contract.credential;
  const promised = [
    ...Object.keys(contract.refusals),
    ...(limited.has(contract.name) ? ['rate_limit_exceeded'] : []),
    ...[invalid, expired, forbidden].map(({ identifier }) => identifier),
    contract.invalidRequest ?? 'invalid_request',
    ...anywhere,
    ...more,
  ];
  const identifier = fields[contract.errorField] ?? fields.error;
  if (!promised.includes(String(identifier))) return `the identifier ${identifier}`;
  const message = contract.errorShape === 'oauth' ? (fields.error_description ?? fields.message) : fields.message;
  if (typeof message !== 'string' || message === '') return 'no message';
  if (fields.request_id !== requestId) return 'a request_id of another request';
  const faults = (fields.errors ?? []) as Record<string, unknown>[];
  const areFaults = faults.every((fault) =>
    ['pointer', 'code', 'message'].every((name) => typeof fault[name] === 'string'),
  );
  if (!areFaults) return 'errors that are no faults';
  const raw = faults.find((fault) => validatorWords.test(String(fault.message)));
  if (raw) return `the words of the validator: ${raw.message}`;
  // Zod's code for custom checks.
  return faults.some(({ code }) => code === 'custom') ? 'a fault whose code says nothing' : undefined;
}
