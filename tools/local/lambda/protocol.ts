import type { ClockOffset } from '../clock/platform-clock.ts';

/** Given once to a worker thread, when it starts. */
export interface WorkerSettings {
  readonly functionName: string;
  readonly functionArn: string;
  /** Letters and digits that identify the function in its access key. */
  readonly accessKeyId: string;
  readonly handlerFile: string;
  readonly exportName: string;
  readonly logFile: string;
  readonly compileCache: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The URL of the module that shifts the worker's time. */
  readonly clockModule: string;
  /** Absent when the worker has the machine's time. */
  readonly clockOffset?: ClockOffset;
}

/** One call of a function. The event is JSON text, as on AWS: the handler receives only what JSON can carry. */
export interface Invocation {
  readonly requestId: string;
  readonly event: string;
}

/** Lambda's reply when a function fails. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type Outcome = { readonly result: string; readonly error?: never } | { readonly error: FunctionError };

/**
 * Sent by a worker when it calls the handler (the function's timeout starts then), and at the end of the invocation.
 */
export type WorkerMessage =
  | { readonly started: true; readonly outcome?: never }
  | { readonly started?: never; readonly outcome: Outcome };
