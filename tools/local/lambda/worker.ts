import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { FunctionError, Invocation, Outcome, WorkerMessage, WorkerSettings } from './protocol.ts';

/**
 * Runs in the worker threads of one function. Loads the function's bundle at the first invocation and provides Lambda's
 * context. Of the local platform's files, only this one and the one that shifts the time share a thread with a handler.
 */

type Handler = (event: unknown, context: object) => unknown;

const settings: WorkerSettings = workerData;
let loading: Promise<Handler> | undefined;

/** Writes synchronously to the function's log, so the log of a killed worker is complete. */
function writeLog(text: string | Uint8Array): void {
  appendFileSync(settings.logFile, text);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk: string | Uint8Array, ...rest: (string | (() => void) | undefined)[]): boolean => {
    writeLog(chunk);
    const onWritten = rest.find((argument) => typeof argument === 'function');
    onWritten?.();
    return true;
  };
}

if (settings.clockOffset) {
  const { replaceDate } = await import(settings.clockModule);
  replaceDate(settings.clockOffset);
}

// Identifies the function and the worker to the DynamoDB proxy. DynamoDB Local accepts only letters and digits.
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

function buildContext({ requestId }: Invocation, deadline: number): object {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: settings.functionArn,
    memoryLimitInMB: String(settings.memoryMb),
    logGroupName: `/aws/lambda/${settings.functionName}`,
    logStreamName: `local/[$LATEST]${threadId}`,
    // Uses the machine's time, as the timeout does. Tests can move only the time of `Date`.
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
  };
}

function describeError(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

function logFailure(requestId: string, error: FunctionError): void {
  const line = { timestamp: new Date().toISOString(), level: 'ERROR', requestId, message: 'Invoke Error', ...error };
  writeLog(`${JSON.stringify(line)}\n`);
}

const post = (message: WorkerMessage): void => parentPort?.postMessage(message);

/** Handles one invocation. A thread never handles two at the same time. */
async function invoke(invocation: Invocation): Promise<Outcome> {
  const { requestId, event } = invocation;
  process.env._X_AMZN_TRACE_ID = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  try {
    loading ??= load();
    const handler = await loading;
    // The timeout starts here: Lambda does not count the start of an environment as part of the invocation.
    post({ started: true });
    const result = await handler(JSON.parse(event), buildContext(invocation, performance.now() + settings.timeoutMs));
    return { result: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    const failure = describeError(error);
    logFailure(requestId, failure);
    return { error: failure };
  }
}

parentPort?.on('message', async (invocation: Invocation) => post({ outcome: await invoke(invocation) }));
