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
function backoffMs(retry: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (retry - 1));
}

export function createDeliveryService(clock: Clock): DeliveryService {
  return new RetryingDeliveryService(clock);
}

class RetryingDeliveryService implements DeliveryService {
  readonly #clock: Clock;
  readonly #underWay = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(delivery: Delivery): void {
    // Not before the caller has its answer: a slow target must not slow down who sent the event.
    const work = Promise.resolve(delivery)
      .then((started) => this.#run(started))
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  close(): void {
    this.#isClosed = true;
    for (const wake of this.#waiting) wake();
  }

  async #run(delivery: Delivery): Promise<void> {
    const startedMs = this.#clock.now();
    for (let retry = 0; !this.#isClosed; retry += 1) {
      const error = await failureOf(() => delivery.attempt(retry + 1));
      if (!error) return;

      const retryAtMs = this.#clock.now() + backoffMs(retry + 1);
      const exhaustedCondition = exhausted(delivery.retryPolicy, retry, retryAtMs - startedMs);
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
