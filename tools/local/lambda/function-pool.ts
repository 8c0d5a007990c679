import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import { createPlatformClock, type PlatformClock } from '../clock/platform-clock.ts';
import type { FunctionSettings } from './function-settings.ts';
import type { FunctionError, Outcome, Started, WorkerSettings } from './protocol.ts';
import { Slots } from './slots.ts';

/** The result of an invocation. */
export interface InvocationResult {
  readonly requestId: string;
  /** The handler's result as JSON. Absent when the handler failed. */
  readonly payload?: string;
  readonly error?: FunctionError;
}

export interface PoolOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly logDirectory: string;
  /** Maximum number of workers, and so of invocations of the function that run at the same time. */
  readonly concurrency?: number;
  /** The time that the handlers see. By default, the machine's time. */
  readonly clock?: PlatformClock;
  /** An unused worker ends after this time. */
  readonly idleMs?: number;
  /**
   * Called when an invocation begins, before it has a worker. The returned function is called when the invocation ends.
   */
  readonly onBegin?: (event: string) => () => void;
}

/** Lambda's limit for loading a function's bundle. */
const initLimitMs = 10_000;

/** More workers would only share the same processor cores. */
const defaultConcurrency = Math.max(2, Math.min(4, availableParallelism() * 2));

/** The workers of one function. They start on demand and end when they are unused. */
export class FunctionPool {
  readonly settings: FunctionSettings;
  readonly concurrency: number;
  readonly #logFile: string;
  readonly #clock: PlatformClock;
  readonly #pool: Piscina;
  readonly #slots: Slots;
  readonly #onBegin: PoolOptions['onBegin'];
  readonly #started = new Map<string, () => void>();
  #isStopped = false;
  #begunCount = 0;
  #endedCount = 0;

  constructor(settings: FunctionSettings, options: PoolOptions) {
    this.settings = settings;
    this.concurrency = options.concurrency ?? defaultConcurrency;
    this.#slots = new Slots(this.concurrency);
    this.#onBegin = options.onBegin;
    this.#clock = options.clock ?? createPlatformClock();
    mkdirSync(options.logDirectory, { recursive: true });
    this.#logFile = join(options.logDirectory, `${settings.shortName.replaceAll('/', '-')}.log`);
    this.#pool = new Piscina({
      filename: new URL('worker.ts', import.meta.url).href,
      name: 'invoke',
      minThreads: 0,
      maxThreads: this.concurrency,
      idleTimeout: options.idleMs ?? 120_000,
      // A worker must serve its open connections while it waits for the next task.
      atomics: 'disabled',
      env: { ...options.environment },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb },
      workerData: this.#workerSettings(options.logDirectory),
    });
    this.#pool.on('message', ({ started }: Started) => this.#started.get(started)?.());
    // A worker that ends between invocations is replaced at the next invocation.
    this.#pool.on('error', () => undefined);
  }

  #workerSettings(logDirectory: string): WorkerSettings {
    const { name, arn, logicalId, handlerFile, exportName, timeoutMs, memoryMb } = this.settings;
    return {
      functionName: name,
      functionArn: arn,
      accessKeyId: logicalId,
      handlerFile,
      exportName,
      logFile: this.#logFile,
      compileCache: join(logDirectory, '..', 'compile-cache'),
      timeoutMs,
      memoryMb,
      ...(this.#clock.offset && { clockOffset: this.#clock.offset }),
    };
  }

  /** How many invocations have begun, also those that still wait for a worker. */
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
    const release = await this.#slots.acquire();
    try {
      if (this.#isStopped)
        return { requestId, error: { errorType: 'Stopped', errorMessage: 'the platform is stopping' } };
      const outcome = await this.#run(requestId, event);
      return outcome.error ? { requestId, error: outcome.error } : { requestId, payload: outcome.result };
    } finally {
      release();
      end?.();
      this.#endedCount += 1;
    }
  }

  async #run(requestId: string, event: string): Promise<Outcome> {
    const abort = new AbortController();
    const { timeoutMs } = this.settings;
    let timer = setTimeout(() => abort.abort('init'), initLimitMs);
    this.#started.set(requestId, () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort('timeout'), timeoutMs);
    });
    try {
      return await this.#pool.run({ requestId, event }, { signal: abort.signal });
    } catch (error) {
      return { error: this.#logError(requestId, this.#describeCrash(requestId, error, abort.signal)) };
    } finally {
      clearTimeout(timer);
      this.#started.delete(requestId);
    }
  }

  #describeCrash(requestId: string, error: unknown, { aborted, reason }: AbortSignal): FunctionError {
    if (!aborted) {
      return {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${requestId} Error: ${error instanceof Error ? error.message : error}`,
      };
    }
    const seconds = ((reason === 'init' ? initLimitMs : this.settings.timeoutMs) / 1000).toFixed(2);
    return {
      errorType: 'Sandbox.Timedout',
      errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
    };
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
    const worker = this.#pool.threads.find((thread) => thread.threadId === threadId);
    await worker?.terminate();
    return worker !== undefined;
  }

  /** Ends all workers immediately, like a crash of their machines. Their invocations fail; new workers start on demand. */
  async killAll(): Promise<void> {
    await Promise.all(this.#pool.threads.map((thread) => thread.terminate()));
  }

  /** Ends all workers immediately. Waiting invocations fail. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pool.destroy();
  }
}
