import type { Clock } from './clock.ts';

/** How long a service keeps trying a target. Absent values are the most AWS allows: 185 retries within 24 hours. */
export interface RetryPolicy {
  readonly maximumRetryAttempts?: number | undefined;
  readonly maximumEventAgeInSeconds?: number | undefined;
}

/** One thing to be brought to one target. */
export interface Delivery {
  /** Called once per attempt, counted from 1. An error with `retryable: false` ends the attempts. */
  attempt(attemptNumber: number): Promise<void>;
  /** Called when the attempts are used up. */
  giveUp(failure: DeliveryFailure): Promise<void>;
  readonly retryPolicy: RetryPolicy;
}

/** Why a delivery was given up, in the words AWS puts on the dead letter. */
export interface DeliveryFailure {
  readonly error: Error;
  readonly retryAttempts: number;
  readonly exhaustedCondition?: 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds';
}

/** Deliveries under way. */
export interface DeliveryService {
  /** Starts a delivery and returns at once. */
  start(delivery: Delivery): void;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
  /** Abandons what waits for another attempt. */
  close(): void;
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 60_000;

/** Wait before a retry, in milliseconds: doubling. AWS adds jitter, which on one machine would only blur tests. */
export function backoffMs(retry: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (retry - 1));
}

export function createDeliveryService(clock: Clock): DeliveryService {
  const underWay = new Set<Promise<void>>();
  const waiting = new Set<() => void>();
  let closed = false;

  const waitUntil = (timeMs: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        waiting.delete(wake);
        resolve();
      };
      const cancel = clock.at(timeMs, wake);
      waiting.add(wake);
    });

  const run = async (delivery: Delivery): Promise<void> => {
    const startedMs = clock.now();
    for (let retry = 0; !closed; retry += 1) {
      const error = await failureOf(() => delivery.attempt(retry + 1));
      if (!error) return;

      const retryAtMs = clock.now() + backoffMs(retry + 1);
      const exhaustedCondition = exhausted(delivery.retryPolicy, retry, retryAtMs - startedMs);
      if (exhaustedCondition || !isRetryable(error)) {
        return delivery.giveUp({ error, retryAttempts: retry, ...(exhaustedCondition && { exhaustedCondition }) });
      }
      await waitUntil(retryAtMs);
    }
  };

  return {
    start(delivery) {
      // Not before the caller has its answer: a slow target must not slow down who sent the event.
      const work = Promise.resolve(delivery)
        .then(run)
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close() {
      closed = true;
      for (const wake of waiting) wake();
    },
  };
}

async function failureOf(attempt: () => Promise<void>): Promise<Error | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function exhausted(
  { maximumRetryAttempts = 185, maximumEventAgeInSeconds = 86_400 }: RetryPolicy,
  retries: number,
  ageMs: number,
): DeliveryFailure['exhaustedCondition'] {
  if (retries >= maximumRetryAttempts) return 'MaximumRetryAttempts';
  return ageMs > maximumEventAgeInSeconds * 1000 ? 'MaximumEventAgeInSeconds' : undefined;
}

function isRetryable(error: Error & { retryable?: unknown }): boolean {
  return error.retryable !== false;
}
