import { ApiError } from './api-error.ts';
import { type SignInReason, waitForSignIn } from './session-gate.ts';

export interface CallOptions {
  readonly body?: unknown;
  /** The revision that the change began from. The server refuses the change when there is a later one. */
  readonly revision?: number | string;
  readonly signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const signInReasons: Readonly<Record<string, SignInReason>> = {
  not_signed_in: 'ended',
  session_expired: 'ended',
  reauthentication_required: 'confirm',
};

/** The person for whom this page was opened. The cookie may be another person's later, who signed in in another window. */
let shownFor: string | undefined;

/** Says for whom this page was opened. It counts once: another person gets another page. */
export function showFor(personId: string): void {
  shownFor ??= personId;
}

/**
 * Calls the management host, and returns the reply's body. When the session ended, or the act needs a fresh sign-in,
 * the call waits for the person and is then made again.
 *
 * @throws ApiError
 */
export async function call<Data>(method: Method, path: string, options: CallOptions = {}): Promise<Data> {
  try {
    return await callOnce(method, path, { ...options, shownFor });
  } catch (error) {
    const reason = error instanceof ApiError && error.status === 401 ? signInReasons[error.identifier] : undefined;
    if (reason === undefined || !(await waitForSignIn(reason))) throw error;
    return callOnce(method, path, { ...options, shownFor });
  }
}

/** Calls without waiting for a person: a refusal for want of a session is an error like any other. */
export async function callOnce<Data>(
  method: Method,
  path: string,
  { body, revision, signal, shownFor: person }: CallOptions & { readonly shownFor?: string | undefined } = {},
): Promise<Data> {
  const response = await send(`/api${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(method !== 'GET' && { 'x-rewards-dashboard': '1' }),
      ...(person !== undefined && { 'x-rewards-person': person }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(revision !== undefined && { 'if-match': `"${revision}"` }),
    },
    ...(body !== undefined && bodyOf(body)),
    signal: AbortSignal.any([AbortSignal.timeout(longestMs), ...(signal ? [signal] : [])]),
  });
  const reply = await readJson(response);
  if (!response.ok) throw errorOf(response.status, reply);
  return reply as Data;
}

/** A body that is small enough is sent to its end, also when the page is closed meanwhile. */
function bodyOf(value: unknown): RequestInit {
  const body = JSON.stringify(value);
  return { body, keepalive: body.length < maximumKeptAlive };
}

/** A gateway answers earlier. After this time the connection is dead. */
const longestMs = 40_000;
/** Browsers allow 64 KB for all such requests together. */
const maximumKeptAlive = 20_000;

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'offline', 'the server does not answer');
  }
}

/** The body as an object. What is not JSON, such as the page of a proxy, counts as empty. */
async function readJson(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = await response.json();
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function errorOf(status: number, body: Readonly<Record<string, unknown>>): ApiError {
  const { error, message } = body;
  const identifier = typeof error === 'string' ? error : 'unexpected_error';
  return new ApiError(status, identifier, typeof message === 'string' ? message : `status ${status}`, body);
}
