/**
 * Why a webhook was refused.
 *
 * - `missing_header`: a header of the scheme is absent or empty; `duplicate_header`: it is there more than once
 * - `malformed_timestamp`: the timestamp is not a whole number of seconds
 * - `too_old`, `too_new`: the timestamp differs from your clock by more than the tolerance
 * - `wrong_signature`: none of your salts signed this timestamp and body
 * - `malformed_body`: the signature is right, but the body is not an event
 */
export type WebhookRefusal =
  | 'missing_header'
  | 'duplicate_header'
  | 'malformed_timestamp'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'malformed_body';

/** A request that is not a genuine webhook. Answer it with 401, and do not process it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The headers of a request: `Headers` of fetch, or an object such as `request.headers` of `node:http` and Express. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the value of a header; undefined when the header is absent or empty. Names are compared without regard to
 * case.
 *
 * @throws WebhookVerificationError `duplicate_header` when the request has the header more than once
 */
export function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  const [value = '', ...others] = valuesOf(headers, name);
  // Node and fetch join the values of repeated headers with a comma and a space. No single value contains them.
  if (others.length > 0 || value.includes(', ')) {
    throw new WebhookVerificationError('duplicate_header', `the request has the header ${name} more than once`);
  }
  return value === '' ? undefined : value;
}

/**
 * Returns the value of a header.
 *
 * @throws WebhookVerificationError `missing_header` or `duplicate_header`
 */
export function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = findHeader(headers, name);
  if (value === undefined) throw new WebhookVerificationError('missing_header', `the request has no header ${name}`);
  return value;
}

function valuesOf(headers: WebhookHeaders, name: string): readonly string[] {
  if (hasGetter(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
}

function hasGetter(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
