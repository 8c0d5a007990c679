import { WebhookVerificationError } from './webhook-error.ts';

/** The headers of a request: `Headers` of fetch, or an object such as `request.headers` of `node:http` and Express. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the value of a header; undefined when the header is absent or empty. Upper and lower case are the same.
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
