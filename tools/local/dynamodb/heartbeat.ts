import { setTimeout as sleep } from 'node:timers/promises';

export interface HeartbeatOptions {
  readonly everyMs?: number;
  /** A request without a reply in this time failed. */
  readonly timeoutMs?: number;
  /** The failures in a row after which the service counts as lost. A busy machine may delay one reply. */
  readonly failures?: number;
}

/**
 * Asks an HTTP service regularly whether it answers, until it does not any more. A reply of 500 or more is no answer.
 *
 * @param onLost called once, when several requests in a row failed
 * @returns a function that ends the requests
 */
export function watch(
  endpoint: string,
  onLost: () => void,
  { everyMs = 5_000, timeoutMs = 10_000, failures = 3 }: HeartbeatOptions = {},
): () => void {
  const abort = new AbortController();
  const beat = async () => {
    for (let failed = 0; failed < failures; ) {
      await sleep(everyMs, undefined, { signal: abort.signal, ref: false });
      const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(timeoutMs)]);
      failed = (await isAnswered(endpoint, signal)) ? 0 : failed + 1;
    }
    if (!abort.signal.aborted) onLost();
  };
  // The only error is that of the end.
  void beat().catch(() => undefined);
  return () => abort.abort();
}

async function isAnswered(endpoint: string, signal: AbortSignal): Promise<boolean> {
  try {
    const reply = await fetch(endpoint, { signal });
    await reply.body?.cancel();
    return reply.status < 500;
  } catch {
    return false;
  }
}
