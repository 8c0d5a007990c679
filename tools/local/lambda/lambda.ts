import { setTimeout as sleep } from 'node:timers/promises';
import { resourceOf } from '../account.ts';
import { FunctionPool, type InvocationResult, type PoolOptions } from './function-pool.ts';
import type { FunctionSettings } from './function-settings.ts';
import { WorkerBudget, type WorkerBudgetOptions } from './worker-budget.ts';

/** Pauses before the retries of an asynchronous invocation. AWS waits one and two minutes. */
const retryPausesMs = [1_000, 2_000];

/** All functions. A function can be found by its name, short name, ARN, qualified ARN or logical id. */
export class Lambda {
  readonly #pools: readonly FunctionPool[];
  readonly #byName: ReadonlyMap<string, FunctionPool>;
  readonly #budget: WorkerBudget;
  readonly #pending = new Set<Promise<void>>();
  readonly #abort = new AbortController();

  constructor(
    functions: readonly FunctionSettings[],
    options: (settings: FunctionSettings) => PoolOptions,
    workers?: WorkerBudgetOptions,
  ) {
    this.#budget = new WorkerBudget(workers);
    this.#pools = functions.map((settings) => new FunctionPool(settings, options(settings), this.#budget));
    this.#byName = new Map(
      this.#pools.flatMap((pool) => [
        [pool.settings.name, pool],
        [pool.settings.shortName, pool],
        [pool.settings.logicalId, pool],
      ]),
    );
  }

  /** @throws Error when no function has this name */
  pool(nameOrArn: string): FunctionPool {
    const resource = nameOrArn.startsWith('arn:') ? resourceOf(nameOrArn).split(':')[1] : nameOrArn;
    const pool = this.#byName.get(resource ?? '');
    if (!pool) throw new Error(`there is no function ${nameOrArn}`);
    return pool;
  }

  /** How many invocations of all functions have begun. */
  get begunCount(): number {
    return this.#pools.reduce((sum, { begunCount }) => sum + begunCount, 0);
  }

  /**
   * Returns the short names of the running functions. If no function runs but an asynchronous invocation waits for a
   * retry, returns one text that says so.
   */
  listBusy(): string[] {
    const names = this.#pools.filter(({ isBusy }) => isBusy).map(({ settings }) => settings.shortName);
    return names.length > 0 || this.#pending.size === 0 ? names : ['an asynchronous invocation'];
  }

  /** Runs a function and waits for its result. A failure of the function is a result, not an exception. */
  invoke(nameOrArn: string, event: unknown): Promise<InvocationResult> {
    return this.pool(nameOrArn).invoke(JSON.stringify(event));
  }

  /**
   * Accepts an asynchronous invocation and returns immediately. As on AWS, a failed invocation is retried twice. Then
   * the event is dropped. The function's log contains the failures.
   */
  invokeLater(nameOrArn: string, event: string): void {
    const work = this.#invokeWithRetries(this.pool(nameOrArn), event).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  async #invokeWithRetries(pool: FunctionPool, event: string): Promise<void> {
    for (const pauseMs of retryPausesMs) {
      const { error } = await pool.invoke(event);
      if (!error || this.#abort.signal.aborted) return;
      await sleep(pauseMs, undefined, { signal: this.#abort.signal }).catch(() => undefined);
    }
    await pool.invoke(event);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#budget.stop();
    await Promise.all(this.#pools.map((pool) => pool.stop()));
    await Promise.all(this.#pending);
  }
}
