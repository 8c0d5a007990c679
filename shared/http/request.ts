import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { once } from '../domain/memoize.ts';
import type { Caller, Headers } from './caller.ts';
import { type Fault, pointerOf, type Replies, type Reply } from './reply.ts';

/** zod/mini has no words for its issues; they are loaded with the first request. */
const loadEnglish = once(() => z.config(en()));

/** The parsed parts of a request; undefined where the contract has no schema. */
export interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A request on its way through the steps. Each property is set by the first step that knows it. */
export interface IncomingRequest {
  id: string;
  startedAtMs: number;
  /** Names in lower case. */
  headers: Headers;
  path: string;
  baseUrl: string;
  rawBody: string;
  caller: Caller;
  parts: RequestParts;
  name?: string;
}

/** The Lambda context of an endpoint, with the request in it. */
export type EndpointContext = Context & { incoming: IncomingRequest };
/** A step of an endpoint. */
export type Step = MiddlewareObj<APIGatewayProxyEvent, Reply, Error, EndpointContext>;

/**
 * Prepares the parser of an endpoint's requests. It parses path, query and body by the contract's schemas.
 *
 * @returns a function that throws RequestRefusedError with every fault of the query, or of the body
 */
export function prepareParser(
  { params, query, body }: AnyContract,
  { invalidRequest }: Pick<Replies, 'invalidRequest'>,
): (event: APIGatewayProxyEvent) => RequestParts {
  const parse = (schema: z.ZodMiniType, value: unknown, faults: readonly Fault[] = []): unknown => {
    const result = schema.safeParse(value);
    if (result.success && faults.length === 0) return result.data;
    throw invalidRequest([...faults, ...(result.error?.issues ?? []).map((issue) => toFault(issue, value))]);
  };
  return (event) => {
    loadEnglish();
    return {
      params: params?.parse(event.pathParameters ?? {}),
      query: query && parse(query, event.queryStringParameters ?? {}, repeatedParameters(query, event)),
      body: body && parse(body, event.body),
    };
  };
}

/**
 * A known parameter may be given once. API Gateway passes on only the last of several, so the caller would not
 * notice that the others are dropped.
 */
function repeatedParameters(query: z.ZodMiniObject, event: APIGatewayProxyEvent): Fault[] {
  const given = new Map(Object.entries(event.multiValueQueryStringParameters ?? {}));
  const repeated = Object.keys(query.shape).filter((name) => (given.get(name)?.length ?? 0) > 1);
  return repeated.map((name) => ({ pointer: pointerOf([name]), code: 'repeated', message: 'is given more than once' }));
}

function toFault(issue: z.core.$ZodIssue, value: unknown): Fault {
  const pointer = pointerOf(issue.path);
  // A field that is null counts as missing, as for optional fields.
  const isMissing = issue.code === 'invalid_type' && (at(value, issue.path) ?? undefined) === undefined;
  if (!isMissing) return { pointer, code: codeOf(issue), message: issue.message };
  return { pointer, code: 'required', message: issue.path.length === 0 ? 'a body is required' : 'is required' };
}

/** Our own checks name their fault in `params.code`, because zod calls all of them `custom`. */
function codeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' && typeof issue.params?.code === 'string' ? issue.params.code : issue.code;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}
