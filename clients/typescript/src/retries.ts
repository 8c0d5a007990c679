/** How a request is repeated. */
export interface RetryOptions {
  /** Attempts in all; by default 4. */
  readonly attempts?: number;
  /** The pause before the second attempt is at most this long; by default 250 milliseconds. Later pauses double. */
  readonly firstPauseMs?: number;
  /** No pause is longer; by default 20 seconds. A reply whose `Retry-After` is longer is returned as it is. */
  readonly longestPauseMs?: number;
  /** Replaces the pause, in tests. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export type Fetch = (request: Request) => Promise<Response>;

/**
 * Statuses of temporary refusals: too many requests, an unavailable program, and failures of gateways and of the
 * platform.
 */
const repeatable = new Set([429, 500, 502, 503, 504]);

const idempotencyHeader = 'Idempotency-Key';

/**
 * Repeats requests whose outcome is temporary or unknown, with growing random pauses. A request is repeated only if the
 * platform processes it once: a GET, or a request with an `Idempotency-Key`.
 *
 * @returns a fetch function that returns the reply of the last attempt, or throws its network failure
 */
export function withRetries(fetch: Fetch, options: RetryOptions = {}): Fetch {
  const { attempts = 4, firstPauseMs = 250, longestPauseMs = 20_000, pause = pauseFor } = options;
  return async (request) => {
    const isSafe = request.method === 'GET' || request.headers.has(idempotencyHeader);
    const last = isSafe ? attempts : 1;
    for (let attempt = 1; attempt < last; attempt += 1) {
      // A request's body can be sent once only.
      const outcome = await attemptOnce(fetch, request.clone());
      const longestMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
      const pauseMs = requestedPauseMs(outcome) ?? Math.random() * longestMs;
      if (request.signal.aborted || !isTemporary(outcome) || pauseMs > longestPauseMs) return unwrapOutcome(outcome);
      if ('response' in outcome) await outcome.response.body?.cancel();
      await pause(pauseMs, request.signal);
    }
    return fetch(request);
  };
}

/**
 * Adds a random `Idempotency-Key` to a POST or PUT that has none, so that it can be repeated. The caller's own key stays.
 */
export function addIdempotencyKey({ method, headers }: Request): void {
  if (method !== 'GET' && !headers.has(idempotencyHeader)) headers.set(idempotencyHeader, crypto.randomUUID());
}

type Outcome = { readonly response: Response } | { readonly failure: unknown };

async function attemptOnce(fetch: Fetch, request: Request): Promise<Outcome> {
  try {
    return { response: await fetch(request) };
  } catch (failure) {
    return { failure };
  }
}

function unwrapOutcome(outcome: Outcome): Response {
  if ('failure' in outcome) throw outcome.failure;
  return outcome.response;
}

/** A refusal with status 409 is temporary only when the same request is still running: then it has `Retry-After`. */
function isTemporary(outcome: Outcome): boolean {
  if ('failure' in outcome) return true;
  const { status, headers } = outcome.response;
  return repeatable.has(status) || (status === 409 && headers.has('retry-after'));
}

/** The pause that `Retry-After` requires, in seconds or as a date; undefined without it. */
function requestedPauseMs(outcome: Outcome): number | undefined {
  const value = 'response' in outcome ? outcome.response.headers.get('retry-after') : null;
  if (value === null) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** @throws the signal's reason when it is aborted */
function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}
