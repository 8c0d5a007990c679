import { setTimeout as sleep } from 'node:timers/promises';
import { arnResource } from '../account.ts';
import { FunctionPool, type InvocationResult, type PoolOptions } from './function-pool.ts';
import type { FunctionSettings } from './function-settings.ts';

/** AWS waits one minute and two; locally somebody is waiting. */
const retryPausesMs = [1_000, 2_000];

/** Every function of the platform, by whatever it is called: name, short name, ARN, qualified ARN or logical id. */
export class Lambda {
  readonly #pools: readonly FunctionPool[];
  readonly #byName: ReadonlyMap<string, FunctionPool>;
  readonly #later = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(functions: readonly FunctionSettings[], options: (settings: FunctionSettings) => PoolOptions) {
    this.#pools = functions.map((settings) => new FunctionPool(settings, options(settings)));
    this.#byName = new Map(
      this.#pools.flatMap((pool) => [
        [pool.settings.name, pool],
        [pool.settings.shortName, pool],
        [pool.settings.logicalId, pool],
      ]),
    );
  }

  get functions(): readonly FunctionSettings[] {
    return this.#pools.map(({ settings }) => settings);
  }

  /** @throws Error when no function is called so. */
  pool(nameOrArn: string): FunctionPool {
    const resource = nameOrArn.startsWith('arn:') ? arnResource(nameOrArn).split(':')[1] : nameOrArn;
    const pool = this.#byName.get(resource ?? '');
    if (!pool) throw new Error(`there is no function ${nameOrArn}`);
    return pool;
  }

  /** Runs a function and waits for what it returns; a failure of it is a result, not an exception. */
  invoke(nameOrArn: string, event: unknown): Promise<InvocationResult> {
    return this.pool(nameOrArn).invoke(JSON.stringify(event));
  }

  /**
   * Takes an invocation and returns at once. As on AWS the function is tried twice more when it fails,
   * then the event is dropped; its log says so.
   */
  invokeLater(nameOrArn: string, event: string): void {
    const work = this.#tryThreeTimes(this.pool(nameOrArn), event).finally(() => this.#later.delete(work));
    this.#later.add(work);
  }

  async #tryThreeTimes(pool: FunctionPool, event: string): Promise<void> {
    for (const pauseMs of retryPausesMs) {
      const { error } = await pool.invoke(event);
      if (!error || this.#stopped.signal.aborted) return;
      await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
    await pool.invoke(event);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#pools.map((pool) => pool.stop()));
    await Promise.all(this.#later);
  }
}
