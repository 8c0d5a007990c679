import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { FunctionSettings } from './function-settings.ts';
import type { FunctionError, Outcome, Started, WorkerSettings } from './protocol.ts';
import { Slots } from './slots.ts';

/** What an invocation came to. */
export interface InvocationResult {
  readonly requestId: string;
  /** What the handler returned, as JSON; absent when it failed. */
  readonly payload?: string;
  readonly error?: FunctionError;
}

export interface PoolOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly logDirectory: string;
  /** Workers at most: how many invocations of the function run at once. */
  readonly concurrency?: number;
  /** How long a worker may do nothing before it is given up. */
  readonly idleMs?: number;
}

/** How long a worker may take to load its bundle: Lambda's own limit. */
const initLimitMs = 10_000;

/** More workers than this only take turns on the cores there are. */
const defaultConcurrency = Math.max(2, Math.min(4, availableParallelism() * 2));

/** The workers of one function. They start when they are needed and go when they are not. */
export class FunctionPool {
  readonly settings: FunctionSettings;
  readonly concurrency: number;
  readonly #logFile: string;
  readonly #pool: Piscina;
  readonly #slots: Slots;
  readonly #started = new Map<string, () => void>();
  #stopped = false;

  constructor(settings: FunctionSettings, options: PoolOptions) {
    this.settings = settings;
    this.concurrency = options.concurrency ?? defaultConcurrency;
    this.#slots = new Slots(this.concurrency);
    mkdirSync(options.logDirectory, { recursive: true });
    this.#logFile = join(options.logDirectory, `${settings.shortName.replaceAll('/', '-')}.log`);
    this.#pool = new Piscina({
      filename: new URL('worker.ts', import.meta.url).href,
      name: 'invoke',
      minThreads: 0,
      maxThreads: this.concurrency,
      idleTimeout: options.idleMs ?? 120_000,
      // A worker that waits for its next task must go on serving its open connections meanwhile.
      atomics: 'disabled',
      env: options.environment as NodeJS.ProcessEnv,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb },
      workerData: this.#workerSettings(options.logDirectory),
    });
    this.#pool.on('message', ({ started }: Started) => this.#started.get(started)?.());
    // Workers that end between invocations are replaced at the next one.
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
    };
  }

  /** Runs the handler on an event, given as JSON, once a worker is free. */
  async invoke(event: string): Promise<InvocationResult> {
    const requestId = randomUUID();
    const release = await this.#slots.take();
    try {
      if (this.#stopped) return { requestId, error: { errorType: 'Stopped', errorMessage: 'the platform is ending' } };
      const outcome = await this.#run(requestId, event);
      return outcome.error ? { requestId, error: outcome.error } : { requestId, payload: outcome.result };
    } finally {
      release();
    }
  }

  async #run(requestId: string, event: string): Promise<Outcome> {
    const ender = new AbortController();
    const { timeoutMs } = this.settings;
    let timer = setTimeout(() => ender.abort('init'), initLimitMs);
    this.#started.set(requestId, () => {
      clearTimeout(timer);
      timer = setTimeout(() => ender.abort('timeout'), timeoutMs);
    });
    try {
      return await this.#pool.run({ requestId, event }, { signal: ender.signal });
    } catch (error) {
      return { error: this.#logged(requestId, this.#crash(requestId, error, ender.signal)) };
    } finally {
      clearTimeout(timer);
      this.#started.delete(requestId);
    }
  }

  #crash(requestId: string, error: unknown, { aborted, reason }: AbortSignal): FunctionError {
    if (!aborted) {
      return {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${requestId} Error: ${(error as Error).message}`,
      };
    }
    const seconds = ((reason === 'init' ? initLimitMs : this.settings.timeoutMs) / 1000).toFixed(2);
    return {
      errorType: 'Sandbox.Timedout',
      errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
    };
  }

  #logged(requestId: string, error: FunctionError): FunctionError {
    const line = {
      timestamp: new Date().toISOString(),
      level: 'ERROR',
      requestId,
      message: error.errorMessage,
      ...error,
    };
    appendFileSync(this.#logFile, `${JSON.stringify(line)}\n`);
    return error;
  }

  /** Ends a worker where it stands, as a crash of its machine would. False when there is no such worker. */
  async kill(threadId: number): Promise<boolean> {
    const worker = this.#pool.threads.find((thread) => thread.threadId === threadId);
    await worker?.terminate();
    return worker !== undefined;
  }

  /** Ends the workers, whatever they do; what waits for one is not begun any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#pool.destroy();
  }
}
