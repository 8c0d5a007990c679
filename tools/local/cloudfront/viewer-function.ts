import { createContext, Script } from 'node:vm';

/** Header names are in lower case. */
export type FunctionHeaders = Record<string, { value: string }>;

/** A request, as a CloudFront Function sees it. */
export interface FunctionRequest {
  readonly method: string;
  uri: string;
  readonly querystring: object;
  headers: FunctionHeaders;
  readonly cookies: object;
}

/** The reply of a function that does not let a request pass. */
export interface FunctionResponse {
  readonly statusCode: number;
  readonly headers?: FunctionHeaders;
  readonly body?: string | { readonly data: string };
}

/** A function on the event `viewer-request`. */
export type ViewerFunction = (request: FunctionRequest, viewerIp: string) => FunctionRequest | FunctionResponse;

/** A function of CloudFront has less than a millisecond. Here a machine under load counts as well. */
const timeoutMs = 1_000;

/**
 * Compiles the code of a CloudFront Function. It runs in a context of its own, which has the language only: no `require`,
 * no `process`, no network.
 *
 * @throws Error when the code has no function `handler`
 */
export function compileViewerFunction(code: string, name: string): ViewerFunction {
  const context = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  new Script(code, { filename: name }).runInContext(context, { timeout: timeoutMs });
  const call = new Script('JSON.stringify(handler(JSON.parse(event)))', { filename: `${name}:call` });
  return (request, ip) => {
    Reflect.set(
      context,
      'event',
      JSON.stringify({ version: '1.0', context: { eventType: 'viewer-request' }, viewer: { ip }, request }),
    );
    return JSON.parse(call.runInContext(context, { timeout: timeoutMs }));
  };
}

export const isResponse = (result: FunctionRequest | FunctionResponse): result is FunctionResponse =>
  'statusCode' in result;
