import type { Clock } from './clock.ts';

/** How long a service retries a target. Absent values mean the most that AWS allows: 185 retries within 24 hours. */
export interface RetryPolicy {
  readonly maximumRetryAttempts?: number | undefined;
  readonly maximumEventAgeInSeconds?: number | undefined;
}

/** One payload on its way to one target. */
export interface Delivery {
  /** Called once for each attempt, counted from 1. An error with `retryable: false` ends the attempts. */
  attempt(attemptNumber: number): Promise<void>;
  /** Called after the last failed attempt. */
  giveUp(failure: DeliveryFailure): Promise<void>;
  readonly retryPolicy: RetryPolicy;
}

/** Why a delivery was abandoned, in the words that AWS puts on the dead letter. */
export interface DeliveryFailure {
  readonly error: Error;
  readonly retryAttempts: number;
  readonly exhaustedCondition?: 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds';
}

/** Runs deliveries in the background. */
export interface DeliveryService {
  /** Starts a delivery and returns immediately. */
  start(delivery: Delivery): void;
  /** Whether an attempt is running or about to run. Deliveries that wait for another attempt do not count. */
  isBusy(): boolean;
  /** Resolves when no delivery is running. */
  idle(): Promise<void>;
  /** Abandons the deliveries that wait for another attempt. */
  close(): void;
}

const firstWaitMs = 200;
const longestWaitMs = 60_000;

/** The wait before a retry doubles each time. Unlike on AWS, there is no jitter, so tests are exact. */
function backoffMs(retry: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (retry - 1));
}

export function createDeliveryService(clock: Clock): DeliveryService {
  return new RetryingDeliveryService(clock);
}

class RetryingDeliveryService implements DeliveryService {
  readonly #clock: Clock;
  readonly #running = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(delivery: Delivery): void {
    // Starts after the caller has its reply, so a slow target does not delay the sender of the event.
    const work = Promise.resolve(delivery)
      .then((started) => this.#run(started))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  isBusy(): boolean {
    return this.#running.size > this.#waiting.size;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  close(): void {
    this.#isClosed = true;
    for (const wake of this.#waiting) wake();
  }

  async #run(delivery: Delivery): Promise<void> {
    const startedMs = this.#clock.now();
    for (let retry = 0; !this.#isClosed; retry += 1) {
      const error = await catchError(() => delivery.attempt(retry + 1));
      if (!error) return;

      const retryAtMs = this.#clock.now() + backoffMs(retry + 1);
      const exhaustedCondition = findExhausted(delivery.retryPolicy, retry, retryAtMs - startedMs);
      if (exhaustedCondition || !isRetryable(error)) {
        return delivery.giveUp({ error, retryAttempts: retry, ...(exhaustedCondition && { exhaustedCondition }) });
      }
      await this.#waitUntil(retryAtMs);
    }
  }

  #waitUntil(timeMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#clock.at(timeMs, wake);
      this.#waiting.add(wake);
    });
  }
}

async function catchError(attempt: () => Promise<void>): Promise<Error | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function findExhausted(
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
