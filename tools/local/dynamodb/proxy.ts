import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen, toUrl } from '../ports.ts';
import { type Capacity, type ConsumedCapacity, type DynamoDbCall, toCapacity } from './call.ts';
import { buildAccessDeniedReply, buildFaultReply } from './error-reply.ts';
import type { FaultKind, Faults } from './faults.ts';
import { type KeyedPart, KeyReader } from './keys.ts';
import { hasManyParts, PartCapacity } from './part-capacity.ts';
import { type DynamoDbRequest, type RequestBody, readParts, reportsCapacity } from './request.ts';
import type { TransactionLocks } from './transaction-locks.ts';

/** The caller of DynamoDB. */
export interface Caller {
  /** The function's short name, or the access key of another caller. */
  readonly name: string;
  /** The thread of the function's worker. Absent for a caller that is not a function. */
  readonly threadId?: number;
}

export interface DynamoDbProxyOptions {
  /** Base URL of DynamoDB Local. */
  readonly target: string;
  readonly port?: number;
  /**
   * Delays every call, so calls that are sent together overlap. Without a delay, DynamoDB Local may answer one call
   * before it receives the next.
   */
  readonly delayMs?: number;
  /** Called for each call after its reply. */
  readonly onCall?: (call: DynamoDbCall) => void;
  readonly faults?: Faults;
  /** Lets writes conflict with running transactions, as on AWS. */
  readonly locks?: TransactionLocks;
  /** Finds the caller for an access key. By default, the key is the caller's name. */
  readonly findCaller?: (accessKey: string) => Caller;
  /** Ends the worker of a caller, for the faults `killBefore` and `killAfter`. */
  readonly kill?: (caller: Caller) => Promise<void>;
  /** Of the parts of a request, returns the first one that the caller's role does not allow. */
  readonly findDenied?: (caller: Caller, parts: readonly KeyedPart[]) => KeyedPart | undefined;
}

export interface DynamoDbProxy {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of DynamoDB Local. The proxy records each call with its capacity, enforces the roles of
 * functions, and injects faults. It does not need the rest of the platform.
 */
export async function startDynamoDbProxy(options: DynamoDbProxyOptions): Promise<DynamoDbProxy> {
  const calls = new CallHandler(options);
  const server = createServer((request, response) => {
    calls.handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, options.port);
  return { endpoint: toUrl(port), stop: () => close(server) };
}

interface Reply {
  readonly status: number;
  readonly body: ReplyBody;
  /** Times of the call to DynamoDB, in milliseconds since the epoch. Absent when DynamoDB was not called. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** The fields that the proxy reads. The other fields pass through unchanged. */
interface ReplyBody {
  readonly __type?: string;
  readonly ConsumedCapacity?: ConsumedCapacity;
}

interface Outcome {
  readonly reply: Reply;
  readonly capacity?: Capacity;
}

interface CallContext {
  readonly incoming: IncomingMessage;
  readonly request: DynamoDbRequest;
  readonly caller: Caller;
  readonly parts: readonly KeyedPart[];
  readonly fault: FaultKind | undefined;
}

class CallHandler {
  readonly #options: DynamoDbProxyOptions;
  readonly #keys: KeyReader;

  constructor(options: DynamoDbProxyOptions) {
    this.#options = options;
    this.#keys = new KeyReader(options.target);
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = String(incoming.headers['x-amz-target'] ?? '');
    const operation = target.split('.')[1] ?? '';
    const body: RequestBody = JSON.parse((await text(incoming)) || '{}');
    // Forwards reads of the stream, but does not record them: on AWS, Lambda makes these calls, and not the function.
    if (!target.startsWith('DynamoDB_')) return send(response, await this.#forward(incoming, body));

    const request = { operation, body };
    const caller = this.#findCaller(incoming);
    const parts = await Promise.all(readParts(request).map((part) => this.#keys.addKey(part)));
    const denied = this.#options.findDenied?.(caller, parts);
    const fault = denied ? undefined : this.#options.faults?.next({ function: caller.name, operation });
    const context = { incoming, request, caller, parts, fault };
    const outcome = denied ? { reply: buildAccessDeniedReply(caller.name, denied) } : await this.#carryOut(context);
    this.#record(context, outcome);
    if (fault === 'killBefore' || fault === 'killAfter') response.destroy();
    else send(response, outcome.reply);
  }

  #findCaller(request: IncomingMessage): Caller {
    const accessKey = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'anonymous';
    return this.#options.findCaller?.(accessKey) ?? { name: accessKey };
  }

  #record({ request, caller, parts, fault }: CallContext, { reply, capacity }: Outcome): void {
    const { status, body, startedAt = now(), endedAt = now() } = reply;
    this.#options.onCall?.({
      caller: caller.name,
      operation: request.operation,
      keys: parts.flatMap(({ key }) => key ?? []),
      indexes: parts.flatMap(({ index }) => index ?? []),
      partCount: parts.length,
      ...capacity,
      startedAt,
      endedAt,
      status,
      ...(status !== 200 && { error: String(body.__type).split('#').pop() ?? '' }),
      ...(fault && { fault }),
    });
  }

  async #carryOut(context: CallContext): Promise<Outcome> {
    const { request, caller, parts, fault } = context;
    if (fault === 'killBefore') await this.#options.kill?.(caller);
    if (fault && fault !== 'killAfter') return { reply: replyToFault(fault, request, parts) };

    const keys = parts.map(({ key = '' }) => key);
    const permit = this.#options.locks?.request(request.operation, keys);
    if (typeof permit === 'number') {
      const conflict = { partCount: parts.length, position: permit };
      return { reply: buildFaultReply('TransactionConflict', request.operation, conflict) };
    }
    const outcome = await this.#measure(context).finally(() => permit?.release());
    if (fault === 'killAfter') await this.#options.kill?.(caller);
    return outcome;
  }

  /**
   * Asks DynamoDB for the consumed capacity. Removes the capacity from the reply to a caller that did not ask for it.
   */
  async #measure({ incoming, request: { operation, body }, parts }: CallContext): Promise<Outcome> {
    if (!this.#options.onCall || !reportsCapacity(operation)) return { reply: await this.#forward(incoming, body) };
    if (hasManyParts(operation)) {
      const capacity = new PartCapacity(this.#keys, operation, parts);
      await capacity.readBefore();
      const reply = await this.#forward(incoming, body);
      return reply.status === 200 ? { reply, capacity: await capacity.measure() } : { reply };
    }
    const reply = await this.#forward(incoming, { ...body, ReturnConsumedCapacity: 'INDEXES' });
    const { ConsumedCapacity, ...rest } = reply.body;
    const isAsked = body.ReturnConsumedCapacity !== undefined && body.ReturnConsumedCapacity !== 'NONE';
    return { reply: isAsked ? reply : { ...reply, body: rest }, capacity: toCapacity(operation, ConsumedCapacity) };
  }

  async #forward(incoming: IncomingMessage, body: RequestBody): Promise<Reply> {
    const { authorization = '', 'x-amz-target': target } = incoming.headers;
    const headers = { authorization, 'x-amz-target': String(target), 'content-type': 'application/x-amz-json-1.0' };
    const { target: url, delayMs = 0 } = this.#options;
    const startedAt = now();
    const sent = fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const [reply] = await Promise.all([sent, delayMs > 0 && sleep(delayMs)]);
    const replyBody: ReplyBody = JSON.parse(await reply.text());
    return { status: reply.status, body: replyBody, startedAt, endedAt: now() };
  }
}

function replyToFault(fault: FaultKind, { operation }: DynamoDbRequest, parts: readonly KeyedPart[]): Reply {
  // A killed worker receives no reply. This reply is only for the record of the call.
  const kind = fault === 'killBefore' || fault === 'killAfter' ? 'Throttling' : fault;
  return buildFaultReply(kind, operation, { partCount: parts.length });
}

function send(response: ServerResponse, { status, body }: Reply): void {
  const content = JSON.stringify(body);
  const length = Buffer.byteLength(content);
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': length }).end(content);
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
