import type { APIGatewayProxyEvent } from 'aws-lambda';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { once } from '../runtime/once.ts';
import { type Fault, RequestRefusedError } from './refusal.ts';

/** The small zod brings no words for what is wrong; they are loaded when somebody may need them. */
const english = once(() => z.config(en()));

/**
 * Parses a part of a request.
 *
 * @throws RequestRefusedError with every fault at once
 */
export function parsePart<Schema extends z.ZodMiniType>(
  contract: AnyContract,
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  return parseUnless([], contract, { schema, value });
}

/**
 * Parses the query. A parameter that the contract knows may be there once: API Gateway hands on the last of
 * several, and whoever meant all of them would not learn that the others were dropped.
 *
 * @throws RequestRefusedError with every fault at once
 */
export function parseQuery(contract: AnyContract, event: QueryParts): unknown {
  const { query: schema } = contract;
  if (!schema) return undefined;
  const given = new Map(Object.entries(event.multiValueQueryStringParameters ?? {}));
  const repeated = Object.keys(schema.shape).filter((name) => (given.get(name)?.length ?? 0) > 1);
  const faults = repeated.map((name) => ({
    pointer: pointerOf([name]),
    code: 'repeated',
    message: 'is given more than once',
  }));
  return parseUnless(faults, contract, { schema, value: event.queryStringParameters ?? {} });
}

type QueryParts = Pick<APIGatewayProxyEvent, 'queryStringParameters' | 'multiValueQueryStringParameters'>;

/** Parses a value, unless there are faults already; tells those with its own. */
function parseUnless<Schema extends z.ZodMiniType>(
  faults: readonly Fault[],
  contract: AnyContract,
  { schema, value }: { readonly schema: Schema; readonly value: unknown },
): z.infer<Schema> {
  english();
  const result = schema.safeParse(value);
  if (result.success && faults.length === 0) return result.data;
  throw invalidRequest(contract, [...faults, ...(result.error?.issues ?? []).map((issue) => faultOf(issue, value))]);
}

/** The refusal of a request that is not as its contract says. */
export function invalidRequest(contract: AnyContract, faults: readonly Fault[]): RequestRefusedError {
  const [first, ...others] = faults;
  const where = first?.pointer ? `${first.pointer}: ` : '';
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const message = first ? `${where}${first.message}${more}` : 'the request is malformed';
  return new RequestRefusedError(400, contract.invalidRequest ?? 'invalid_request', message, { faults });
}

function faultOf(issue: z.core.$ZodIssue, value: unknown): Fault {
  // null is what is not there, as with optional fields.
  const isMissing = issue.code === 'invalid_type' && (at(value, issue.path) ?? undefined) === undefined;
  if (!isMissing) return { pointer: pointerOf(issue.path), code: codeOf(issue), message: issue.message };
  const message = issue.path.length === 0 ? 'a body is required' : 'is required';
  return { pointer: pointerOf(issue.path), code: 'required', message };
}

/** A check of ours names its fault in `params.code`, since zod calls all of them `custom`. */
function codeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' && typeof issue.params?.code === 'string' ? issue.params.code : issue.code;
}

/** JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}
