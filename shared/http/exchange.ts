import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller } from './caller.ts';
import type { CallerDeps, Headers } from './identify-caller.ts';
import type { Reply } from './reply.ts';

/** What the steps of one request hand on to each other; each is set by the step that is named after it. */
export interface Exchange {
  gate: CallerDeps;
  requestId: string;
  startedAtMs: number;
  /** Names in lower case. */
  headers: Headers;
  path: string;
  baseUrl: string;
  rawBody: string;
  caller: Caller;
  params: unknown;
  query: unknown;
  body: unknown;
}

/** The Lambda context of an endpoint, with the exchange in it. */
export type EndpointContext = Context & { exchange: Exchange };

/** A step of an endpoint. */
export type Step = MiddlewareObj<APIGatewayProxyEvent, Reply, Error, EndpointContext>;
