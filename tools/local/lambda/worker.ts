import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { FunctionError, Invocation, Outcome, WorkerSettings } from './protocol.ts';

/**
 * Runs inside the worker thread of one function: loads its bundle at the first invocation
 * and gives it what Lambda would. It is the only file of local/ that shares a thread with a handler.
 */

type Handler = (event: unknown, context: object) => unknown;

const settings = workerData as WorkerSettings;
let loaded: Promise<Handler> | undefined;

/** Writes at once and to the function's own file: a worker that is killed has still said what it said. */
function write(text: string | Uint8Array): void {
  appendFileSync(settings.logFile, text);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    write(chunk);
    const done = rest.find((argument) => typeof argument === 'function') as (() => void) | undefined;
    done?.();
    return true;
  };
}

// Tells the DynamoDB proxy which function and which worker calls. DynamoDB Local wants letters and digits only.
process.env.AWS_ACCESS_KEY_ID = `${settings.accessKeyId}W${threadId}`;
enableCompileCache(settings.compileCache);

async function load(): Promise<Handler> {
  const { handlerFile, exportName } = settings;
  const exports = handlerFile.endsWith('.mjs')
    ? await import(pathToFileURL(handlerFile).href)
    : createRequire(handlerFile)(handlerFile);
  const handler = exports[exportName];
  if (typeof handler !== 'function') throw new Error(`${exportName} is undefined or not exported by ${handlerFile}`);
  return handler;
}

function contextOf({ requestId }: Invocation, deadline: number): object {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: settings.functionArn,
    memoryLimitInMB: String(settings.memoryMb),
    logGroupName: `/aws/lambda/${settings.functionName}`,
    logStreamName: `local/[$LATEST]${threadId}`,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function described(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

function logFailure(requestId: string, error: FunctionError): void {
  const line = { timestamp: new Date().toISOString(), level: 'ERROR', requestId, message: 'Invoke Error', ...error };
  write(`${JSON.stringify(line)}\n`);
}

/** Handles one invocation; the thread handles no other meanwhile. */
export async function invoke(invocation: Invocation): Promise<Outcome> {
  const { requestId, event } = invocation;
  process.env._X_AMZN_TRACE_ID = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  try {
    loaded ??= load();
    const handler = await loaded;
    // The clock starts here: Lambda does not count the start of an environment as the invocation's time.
    parentPort?.postMessage({ started: requestId });
    const result = await handler(JSON.parse(event), contextOf(invocation, Date.now() + settings.timeoutMs));
    return { result: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    const failure = described(error);
    logFailure(requestId, failure);
    return { error: failure };
  }
}
