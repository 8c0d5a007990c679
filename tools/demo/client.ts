import { showReply, showRequest } from './narrator.ts';

/** A reply whose body was parsed. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the story reads bodies of all shapes
  readonly body: any;
}

/** A request of the story. */
export interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

/** Sends a request, prints it and its reply, and fails when the status is another than expected. */
export async function send(expected: number, method: string, url: string, request: Request): Promise<Reply> {
  const { headers, body } = encoded(request);
  showRequest(method, url, headers, body);
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const reply = { status: response.status, body: await response.json() };
  showReply(reply.status, reply.body);
  if (reply.status !== expected) throw new Error(`${method} ${url} answered ${reply.status}, not ${expected}`);
  return reply;
}

function encoded({ headers, json, form }: Request): { headers: Record<string, string>; body?: string } {
  if (json !== undefined)
    return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form === undefined) return { headers: { ...headers } };
  const type = 'application/x-www-form-urlencoded';
  return { headers: { ...headers, 'content-type': type }, body: new URLSearchParams(form).toString() };
}
