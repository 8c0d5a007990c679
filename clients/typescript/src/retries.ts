/** How a request is repeated. */
export interface RetryOptions {
  /** The highest number of attempts; by default 4. */
  readonly attempts?: number;
  /** The longest pause before the second attempt; by default 250 milliseconds. It doubles for each later attempt. */
  readonly firstPauseMs?: number;
  /**
   * The longest pause before any attempt; by default 20 seconds. If a reply's `Retry-After` is longer, the request is
   * not repeated and the reply is returned.
   */
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
 * Repeats requests whose outcome is temporary or unknown, with growing random pauses. Repeats only what is safe to
 * repeat: a GET, or a request with an `Idempotency-Key`.
 *
 * @returns a fetch function that returns the reply of the last attempt, or throws its network failure
 */
export function withRetries(fetch: Fetch, options: RetryOptions = {}): Fetch {
  const { attempts = 4, firstPauseMs = 250, longestPauseMs = 20_000, pause = pauseFor } = options;
  return async (request) => {
    const isSafe = request.method === 'GET' || request.headers.has(idempotencyHeader);
    const last = isSafe ? attempts : 1;
    for (let attempt = 1; attempt < last; attempt += 1) {
      // Sends a copy, because the body of a request can be read only once.
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
 * Adds a random `Idempotency-Key` to a POST or PUT that has none, so that it can be repeated. The caller's own key
 * stays.
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

/** A reply 409 is temporary only if it has `Retry-After`: then an earlier attempt of the same request is running. */
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
