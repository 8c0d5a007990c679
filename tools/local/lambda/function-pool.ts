import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createPlatformClock, type PlatformClock } from '../clock/platform-clock.ts';
import type { FunctionSettings } from './function-settings.ts';
import { FunctionWorker, type FunctionWorkerOptions } from './function-worker.ts';
import type { FunctionError, Outcome } from './protocol.ts';
import type { HungryPool, IdleWorker, WorkerBudget } from './worker-budget.ts';

/** The result of an invocation. */
export interface InvocationResult {
  readonly requestId: string;
  /** The handler's result as JSON. Absent when the handler failed. */
  readonly payload?: string;
  readonly error?: FunctionError;
}

export interface PoolOptions {
  /** The file with the program of the workers. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logDirectory: string;
  /** Maximum number of workers. It is also the maximum number of concurrent invocations of the function. */
  readonly concurrency?: number;
  /** The time that the handlers see. By default, the machine's time. */
  readonly clock?: PlatformClock;
  /**
   * Called when an invocation begins, before it has a worker. The returned function is called when the invocation ends.
   */
  readonly onBegin?: (event: string) => () => void;
}

/** Lambda's limit for loading a function's bundle. */
const initLimitMs = 10_000;

/** More workers would only share the same processor cores. */
const defaultConcurrency = Math.max(2, Math.min(4, availableParallelism() * 2));

/** The workers of one function. They start on demand, within the budget of all functions. */
export class FunctionPool {
  readonly settings: FunctionSettings;
  readonly concurrency: number;
  readonly #logFile: string;
  readonly #clock: PlatformClock;
  readonly #workerOptions: FunctionWorkerOptions;
  readonly #budget: WorkerBudget;
  readonly #onBegin: PoolOptions['onBegin'];
  readonly #workers = new Set<FunctionWorker>();
  /** The idle workers. The worker that was used last is used next, so that the others stay idle and can end. */
  readonly #idle = new Map<FunctionWorker, IdleWorker>();
  readonly #waiting: ((worker: FunctionWorker | undefined) => void)[] = [];
  readonly #hungry: HungryPool = {
    size: () => this.#workers.size,
    isWaiting: () => this.#waiting.length > 0,
    grow: () => this.#grow(),
  };
  #isStopped = false;
  #begunCount = 0;
  #endedCount = 0;

  constructor(settings: FunctionSettings, options: PoolOptions, budget: WorkerBudget) {
    this.settings = settings;
    this.concurrency = options.concurrency ?? defaultConcurrency;
    this.#budget = budget;
    this.#onBegin = options.onBegin;
    this.#clock = options.clock ?? createPlatformClock();
    mkdirSync(options.logDirectory, { recursive: true });
    this.#logFile = join(options.logDirectory, `${settings.shortName.replaceAll('/', '-')}.log`);
    this.#workerOptions = this.#describeWorkers(options);
  }

  #describeWorkers({ program, environment, logDirectory }: PoolOptions): FunctionWorkerOptions {
    const { name, arn, logicalId, handlerFile, exportName, timeoutMs, memoryMb } = this.settings;
    return {
      program,
      environment,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      settings: {
        functionName: name,
        functionArn: arn,
        accessKeyId: logicalId,
        handlerFile,
        exportName,
        logFile: this.#logFile,
        compileCache: join(logDirectory, '..', 'compile-cache'),
        timeoutMs,
        memoryMb,
        clockModule: new URL('../clock/platform-clock.ts', import.meta.url).href,
        ...(this.#clock.offset && { clockOffset: this.#clock.offset }),
      },
    };
  }

  /** How many invocations have begun, including those that still wait for a worker. */
  get begunCount(): number {
    return this.#begunCount;
  }

  /** Whether an invocation runs or waits for a worker. */
  get isBusy(): boolean {
    return this.#begunCount > this.#endedCount;
  }

  /** Runs the handler with an event, given as JSON, when a worker is free. */
  async invoke(event: string): Promise<InvocationResult> {
    const requestId = randomUUID();
    this.#begunCount += 1;
    const end = this.#onBegin?.(event);
    try {
      const worker = await this.#takeWorker();
      if (!worker) return { requestId, error: { errorType: 'Stopped', errorMessage: 'the platform is stopping' } };
      const outcome = await this.#run(worker, requestId, event);
      this.#giveBack(worker);
      return outcome.error ? { requestId, error: outcome.error } : { requestId, payload: outcome.result };
    } finally {
      end?.();
      this.#endedCount += 1;
    }
  }

  /** Waits for a worker. Callers get workers in the order of their calls. Returns undefined when the platform stops. */
  async #takeWorker(): Promise<FunctionWorker | undefined> {
    if (this.#isStopped) return undefined;
    const last = [...this.#idle].at(-1);
    if (last) {
      this.#removeIdle(last[0]);
      return last[0];
    }
    const { promise, resolve } = Promise.withResolvers<FunctionWorker | undefined>();
    this.#waiting.push(resolve);
    this.#grow();
    return promise;
  }

  /** Starts a worker for each waiting invocation, until there is no more room. */
  #grow(): void {
    while (this.#waiting.length > 0 && this.#workers.size < this.concurrency) {
      if (!this.#budget.admit(this.#workers.size === 0)) {
        this.#budget.onRoom(this.#hungry);
        return;
      }
      this.#waiting.shift()?.(this.#startWorker());
    }
  }

  #startWorker(): FunctionWorker {
    const worker = new FunctionWorker(this.#workerOptions);
    this.#workers.add(worker);
    void worker.ended.then(() => this.#forget(worker));
    return worker;
  }

  /** Removes a worker that has ended or is about to end. */
  #forget(worker: FunctionWorker): void {
    if (!this.#workers.delete(worker)) return;
    this.#removeIdle(worker);
    this.#budget.release();
    this.#grow();
  }

  #giveBack(worker: FunctionWorker): void {
    if (!this.#workers.has(worker)) return;
    if (this.#budget.isOwed(this.#workers.size)) {
      void this.#endWorker(worker);
      return;
    }
    const next = this.#waiting.shift();
    if (next) {
      next(worker);
      return;
    }
    const idle = { isSurplus: () => this.#workers.size > 1, end: () => void this.#endWorker(worker) };
    this.#idle.set(worker, idle);
    this.#budget.addIdle(idle);
  }

  #removeIdle(worker: FunctionWorker): void {
    const idle = this.#idle.get(worker);
    if (idle) this.#budget.removeIdle(idle);
    this.#idle.delete(worker);
  }

  /** Ends a worker. No invocation gets this worker from now on. */
  async #endWorker(worker: FunctionWorker): Promise<void> {
    this.#forget(worker);
    await worker.end();
  }

  async #run(worker: FunctionWorker, requestId: string, event: string): Promise<Outcome> {
    const { timeoutMs } = this.settings;
    let limitMs: number | undefined;
    const endAfter = (ms: number) =>
      setTimeout(() => {
        limitMs = ms;
        void this.#endWorker(worker);
      }, ms);
    let timer = endAfter(initLimitMs);
    const onStarted = (): void => {
      clearTimeout(timer);
      timer = endAfter(timeoutMs);
    };
    try {
      return await worker.run({ requestId, event }, onStarted);
    } catch (error) {
      return { error: this.#logError(requestId, describeCrash(requestId, error, limitMs)) };
    } finally {
      clearTimeout(timer);
    }
  }

  #logError(requestId: string, error: FunctionError): FunctionError {
    const line = {
      timestamp: new Date(this.#clock.now()).toISOString(),
      level: 'ERROR',
      requestId,
      message: error.errorMessage,
      ...error,
    };
    appendFileSync(this.#logFile, `${JSON.stringify(line)}\n`);
    return error;
  }

  /** Ends a worker immediately, like a crash of its machine. Returns false when there is no such worker. */
  async kill(threadId: number): Promise<boolean> {
    const worker = [...this.#workers].find((each) => each.threadId === threadId);
    if (worker) await this.#endWorker(worker);
    return worker !== undefined;
  }

  /** Ends all workers immediately, like a crash of their machines. Their invocations fail; new workers start on demand. */
  async killAll(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#endWorker(worker)));
  }

  /** Ends all workers immediately. Waiting invocations fail. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#waiting.splice(0)) end(undefined);
    await this.killAll();
  }
}

/** @param limitMs the time after which the worker was ended; absent when it ended by itself */
function describeCrash(requestId: string, error: unknown, limitMs: number | undefined): FunctionError {
  if (limitMs === undefined) {
    return {
      errorType: 'Runtime.ExitError',
      errorMessage: `RequestId: ${requestId} Error: ${error instanceof Error ? error.message : error}`,
    };
  }
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${(limitMs / 1000).toFixed(2)} seconds`,
  };
}
