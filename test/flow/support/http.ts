import type { Answer } from '../../support/call.ts';
import { expectAsDocumented } from './documented.ts';

/** A request over HTTP; `json` is sent as JSON, `form` as a form. */
export interface HttpRequest {
  /** For `x-api-key`. */
  readonly key?: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

/** Sends a request and checks the reply against the host's OpenAPI document. */
export async function send(method: string, url: string, request: HttpRequest = {}): Promise<Answer> {
  const { key, bearer, headers, json, form } = request;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form && { body: new URLSearchParams(form) }),
  });
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text && JSON.parse(text),
  };
  expectAsDocumented(method, url, answer);
  return answer;
}
