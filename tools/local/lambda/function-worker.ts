import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Invocation, Outcome, WorkerMessage, WorkerSettings } from './protocol.ts';

/**
 * Writes the program of the workers as JavaScript. A thread that loads TypeScript loads Node's compiler too, which takes
 * as much memory as the thread itself.
 */
export function writeWorkerProgram(file: string): void {
  const source = readFileSync(fileURLToPath(new URL('worker.ts', import.meta.url)), 'utf8');
  writeFileSync(
    file,
    silently(() => stripTypeScriptTypes(source)),
  );
}

/**
 * Does some work without Node's warning that `stripTypeScriptTypes` may change in later versions of Node. The lock file
 * fixes the version.
 */
function silently<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export interface FunctionWorkerOptions {
  /** The file that {@link writeWorkerProgram} wrote. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly resourceLimits: ResourceLimits;
  readonly settings: WorkerSettings;
}

interface Running {
  readonly onStarted: () => void;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that has loaded one function. It handles one invocation at a time. */
export class FunctionWorker {
  readonly #thread: Worker;
  #running: Running | undefined;
  #error: Error | undefined;
  /** Resolves when the thread has ended for any reason. */
  readonly ended: Promise<void>;

  constructor({ program, environment, resourceLimits, settings }: FunctionWorkerOptions) {
    this.#thread = new Worker(program, {
      env: { ...environment },
      execArgv: [],
      resourceLimits,
      workerData: settings,
    });
    this.#thread.on('message', (message: WorkerMessage) => {
      if (message.outcome) this.#running?.resolve(message.outcome);
      else this.#running?.onStarted();
    });
    this.#thread.on('error', (error) => {
      this.#error = error instanceof Error ? error : new Error(String(error));
    });
    this.ended = new Promise((resolve) => {
      this.#thread.once('exit', (code) => {
        this.#running?.reject(this.#error ?? new Error(`the worker exited with code ${code}`));
        resolve();
      });
    });
    this.#thread.unref();
  }

  get threadId(): number {
    return this.#thread.threadId;
  }

  /**
   * Handles an invocation.
   * @param onStarted called when the handler begins, after the function was loaded
   * @throws Error when the thread ends before the handler
   */
  async run(invocation: Invocation, onStarted: () => void): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#running = { onStarted, resolve, reject };
    // Only a thread that handles an invocation keeps this process alive.
    this.#thread.ref();
    this.#thread.postMessage(invocation);
    try {
      return await promise;
    } finally {
      this.#running = undefined;
      this.#thread.unref();
    }
  }

  /** Ends the thread immediately, even in the middle of an invocation. */
  async end(): Promise<void> {
    await this.#thread.terminate();
  }
}
