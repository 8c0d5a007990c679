import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { type AnyContract, managementHost, managementPath } from '../../shared/contracts/contract.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { expectDocumented } from './openapi/documented.ts';

/** A request as a partner's engineer writes it. */
export interface Request {
  readonly params?: Readonly<Record<string, string>>;
  /** An array repeats the parameter. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown;
  /** The caller's IP address. */
  readonly address?: string;
}

/** A reply with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all shapes
  readonly body: any;
}

type Handler = (event: APIGatewayProxyEvent, context: never) => Promise<Reply>;

/** Calls a Lambda like API Gateway (payload 1.0) and checks the reply against the OpenAPI document. */
export async function call(handler: unknown, contract: AnyContract, request: Request): Promise<Answer> {
  const reply = await (handler as Handler)(eventOf(contract, request), { awsRequestId: randomUUID() } as never);
  const isJson = reply.headers['Content-Type']?.startsWith('application/json') ?? false;
  const answer = {
    status: reply.statusCode,
    headers: reply.headers,
    body: isJson ? JSON.parse(reply.body) : reply.body,
  };
  expectDocumented(contract, answer);
  return answer;
}

export function eventOf(
  contract: AnyContract,
  { params = {}, query, headers = {}, body, address = '192.0.2.1' }: Request,
): APIGatewayProxyEvent {
  const path = contract.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const base = contract.host === managementHost ? managementPath : '';
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = contract.bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const all: Record<string, string> = { ...(text !== undefined && { 'Content-Type': type }), ...headers };
  return {
    resource: base + contract.path,
    path: base + path,
    httpMethod: contract.method,
    headers: all,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    pathParameters: Object.keys(params).length > 0 ? { ...params } : null,
    queryStringParameters: query ? mapValues(query, (value) => [value].flat().at(-1) ?? '') : null,
    multiValueQueryStringParameters: query ? mapValues(query, (value) => [value].flat()) : null,
    stageVariables: null,
    requestContext: {
      requestId: randomUUID(),
      identity: { sourceIp: address },
    } as APIGatewayProxyEvent['requestContext'],
    body: text ?? null,
    isBase64Encoded: false,
  };
}

function mapValues<Value, Result>(record: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** The Lambda context of a consumer. */
export const aContext = { awsRequestId: 'test', functionName: 'test' } as Context;
