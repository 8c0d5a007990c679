import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen, url } from '../ports.ts';
import type { JsonObject } from '../template/assembly.ts';
import { type Capacity, capacityOf, type DynamoDbCall } from './call.ts';
import type { Faults } from './faults.ts';
import { type KeyedPart, KeyReader } from './keys.ts';
import { hasManyParts, PartCapacity } from './part-capacity.ts';
import { accessDenied, faultRefusal, type Refusal } from './refusal.ts';
import { countsCapacity, type DynamoDbRequest, partsOf } from './request.ts';
import type { TransactionLocks } from './transaction-locks.ts';

/** Who calls: a function's worker, or anybody else. */
export interface Caller {
  /** The function's short name, or the access key of somebody else. */
  readonly name: string;
  readonly threadId?: number;
}

export interface DynamoDbProxyOptions {
  /** Base URL of DynamoDB Local. */
  readonly target: string;
  readonly port?: number;
  /** Told of every call once it is answered. */
  readonly onCall?: (call: DynamoDbCall) => void;
  readonly faults?: Faults;
  /** Has transactions that meet on an item collide, as AWS does. */
  readonly locks?: TransactionLocks;
  /** Who an access key stands for; without it the key itself is the name. */
  readonly callerOf?: (accessKey: string) => Caller;
  /** Ends the worker of a caller, for the faults that do. */
  readonly kill?: (caller: Caller) => Promise<void>;
  /** The part of a call that its caller may not do. */
  readonly refuses?: (caller: Caller, parts: readonly KeyedPart[]) => KeyedPart | undefined;
}

export interface DynamoDbProxy {
  readonly endpoint: string;
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  /** When DynamoDB itself was asked and had answered, in milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

const now = (): number => performance.timeOrigin + performance.now();

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function accessKeyOf(request: IncomingMessage): string {
  return /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'anonymous';
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
    const body = JSON.parse((await readBody(incoming)) || '{}') as JsonObject;
    const caller = this.#caller(accessKeyOf(incoming));
    // Reading a stream is a service's work: it is passed on and not counted.
    if (!target.startsWith('DynamoDB_')) return send(response, await this.#forward(incoming, body));

    const parts = await Promise.all(partsOf({ operation, body }).map((part) => this.#keys.read(part)));
    const denied = this.#options.refuses?.(caller, parts);
    const fault = denied ? undefined : this.#options.faults?.next({ function: caller.name, operation });
    const outcome = denied
      ? { reply: accessDenied(caller.name, denied) as Reply, capacity: undefined }
      : await this.#carryOut(incoming, { operation, body }, { caller, parts, fault });
    const { status, body: answer, startedAt = now(), endedAt = now() } = outcome.reply;
    this.#options.onCall?.({
      caller: caller.name,
      operation,
      keys: parts.flatMap(({ key }) => key ?? []),
      indexes: parts.flatMap(({ index }) => index ?? []),
      partCount: parts.length,
      ...outcome.capacity,
      startedAt,
      endedAt,
      status,
      ...(status !== 200 && { error: String(answer.__type).split('#').pop() ?? '' }),
      ...(fault && { fault }),
    });
    if (fault === 'killBefore' || fault === 'killAfter') response.destroy();
    else send(response, outcome.reply);
  }

  #caller(accessKey: string): Caller {
    return this.#options.callerOf?.(accessKey) ?? { name: accessKey };
  }

  async #carryOut(
    incoming: IncomingMessage,
    request: DynamoDbRequest,
    { caller, parts, fault }: { caller: Caller; parts: readonly KeyedPart[]; fault: ReturnType<Faults['next']> },
  ): Promise<{ reply: Reply; capacity?: Capacity }> {
    if (fault === 'killBefore') await this.#options.kill?.(caller);
    if (fault && fault !== 'killAfter') return { reply: refusalFor(fault, request, parts) };

    const keys = parts.map(({ key = '' }) => key);
    const passage = this.#options.locks?.enter(request.operation, keys);
    if (typeof passage === 'number') {
      const where = { partCount: parts.length, met: passage };
      return { reply: faultRefusal('TransactionConflict', request.operation, where) as Reply };
    }
    const answered = await this.#counted(incoming, request, parts).finally(() => passage?.over());
    if (fault === 'killAfter') await this.#options.kill?.(caller);
    return answered;
  }

  /** Has DynamoDB say what the call consumed, and keeps that from a caller that did not ask. */
  async #counted(
    incoming: IncomingMessage,
    { operation, body }: DynamoDbRequest,
    parts: readonly KeyedPart[],
  ): Promise<{ reply: Reply; capacity?: Capacity }> {
    if (!this.#options.onCall || !countsCapacity(operation)) return { reply: await this.#forward(incoming, body) };
    if (hasManyParts(operation)) return this.#countedByParts(incoming, { operation, body }, parts);
    const reply = await this.#forward(incoming, { ...body, ReturnConsumedCapacity: 'INDEXES' });
    const { ConsumedCapacity, ...rest } = reply.body;
    const asked = body.ReturnConsumedCapacity !== undefined && body.ReturnConsumedCapacity !== 'NONE';
    return { reply: asked ? reply : { ...reply, body: rest }, capacity: capacityOf(operation, ConsumedCapacity) };
  }

  async #countedByParts(
    incoming: IncomingMessage,
    { operation, body }: DynamoDbRequest,
    parts: readonly KeyedPart[],
  ): Promise<{ reply: Reply; capacity?: Capacity }> {
    const capacity = new PartCapacity(this.#options.target, this.#keys, operation, parts);
    await capacity.before();
    const reply = await this.#forward(incoming, body);
    return reply.status === 200 ? { reply, capacity: await capacity.after() } : { reply };
  }

  async #forward(incoming: IncomingMessage, body: JsonObject): Promise<Reply> {
    const { authorization = '', 'x-amz-target': target } = incoming.headers;
    const headers = { authorization, 'x-amz-target': String(target), 'content-type': 'application/x-amz-json-1.0' };
    const startedAt = now();
    const answer = await fetch(this.#options.target, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as JsonObject, startedAt, endedAt: now() };
  }
}

function refusalFor(
  fault: NonNullable<ReturnType<Faults['next']>>,
  { operation }: DynamoDbRequest,
  parts: readonly KeyedPart[],
): Reply {
  // Nobody hears this one: the worker is gone.
  const kind = fault === 'killBefore' || fault === 'killAfter' ? 'Throttling' : fault;
  const refusal: Refusal = faultRefusal(kind, operation, { partCount: parts.length });
  return refusal as Reply;
}

function send(response: ServerResponse, { status, body }: Reply): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': length }).end(text);
}

/**
 * Stands between functions and DynamoDB Local: records every call with what it consumed, refuses what a
 * role does not allow, and makes go wrong what only AWS makes go wrong. Can be used without the rest of the platform.
 */
export async function startDynamoDbProxy(options: DynamoDbProxyOptions): Promise<DynamoDbProxy> {
  const calls = new CallHandler(options);
  const server = createServer((request, response) => {
    calls.handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, options.port);
  return { endpoint: url(port), stop: () => close(server) };
}
