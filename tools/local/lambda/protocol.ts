/** What a worker thread is told once, when it starts. */
export interface WorkerSettings {
  readonly functionName: string;
  readonly functionArn: string;
  /** Letters and digits that stand for the function in its access key. */
  readonly accessKeyId: string;
  readonly handlerFile: string;
  readonly exportName: string;
  readonly logFile: string;
  readonly compileCache: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** One call of a function. The event travels as text, as it does on AWS: what JSON cannot say never arrives. */
export interface Invocation {
  readonly requestId: string;
  readonly event: string;
}

/** What Lambda answers with when a function fails. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type Outcome = { readonly result: string; readonly error?: never } | { readonly error: FunctionError };

/** Tells that the handler has been entered, so that its timeout begins. */
export interface Started {
  readonly started: string;
}
