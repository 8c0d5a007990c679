import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { PlatformKeys } from '../../shared/store/organisation/platform-keys.ts';
import { PaymentAccounts } from '../../shared/store/payment/payment-customers.ts';
import type { Random } from './random.ts';
import type { SoakTable } from './tables.ts';

/**
 * Runs many invocations at once and decides at every step which of them continues. An invocation stops at each call of
 * DynamoDB, the bus or a loyalty program, and at each pause; the simulation carries out one of these calls at a time.
 * So the same random choices always lead to the same history, whatever else the machine does.
 */

/** Something that an invocation waits for. */
export interface Call {
  readonly kind: 'read' | 'write' | 'publish' | 'program' | 'pause';
  /** `TransactWrite`, `PutEvents`: for traces. */
  readonly name: string;
  /** The input of the command; null for a pause. */
  readonly input: unknown;
  /** @param input replaces the input, for example by a part of it */
  readonly carryOut: (input?: unknown) => Promise<unknown>;
}

/** What happens to a call: it returns, it fails, or the invocation that made it dies. */
export type Outcome =
  | { readonly kind: 'reply'; readonly reply: unknown }
  | { readonly kind: 'error'; readonly error: Error }
  | { readonly kind: 'death' };

/** Decides what happens to a call. Carries the call out if needed. */
export type Decide = (call: Call, invocation: Invocation) => Promise<Outcome>;

/** How an invocation ends. An invocation that dies returns nothing to its caller. */
export type Ending<Result> =
  | { readonly kind: 'returned'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'died' };

interface Waiting {
  readonly call: Call;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One invocation of a function. */
export class Invocation {
  readonly id: number;
  readonly name: string;
  readonly startedAt: number;
  /** The time at which AWS would end the invocation. */
  readonly endsAt: number;
  /** How often the simulation continues this invocation. Other invocations overtake a slow one. */
  readonly pace: number;
  /** The number of calls of this invocation that failed by fault injection. */
  faults = 0;
  readonly waiting: Waiting[] = [];
  isOver = false;
  readonly end: (ending: Ending<unknown>) => void;

  constructor(parts: Pick<Invocation, 'id' | 'name' | 'startedAt' | 'endsAt' | 'pace' | 'end'>) {
    this.id = parts.id;
    this.name = parts.name;
    this.startedAt = parts.startedAt;
    this.endsAt = parts.endsAt;
    this.pace = parts.pace;
    this.end = parts.end;
  }

  wait(call: Call): Promise<unknown> {
    // A dead invocation may go on computing, but it can call no service any more.
    if (this.isOver) return new Promise(() => undefined);
    return new Promise((resolve, reject) => void this.waiting.push({ call, resolve, reject }));
  }
}

const invocations = new AsyncLocalStorage<Invocation>();

/** The description of a new invocation. */
interface Work<Result> {
  readonly name: string;
  readonly timeoutMs: number;
  readonly run: () => Promise<Result>;
  /** Called once when the invocation has ended. `faults` is the number of its calls that failed by fault injection. */
  readonly ended: (ending: Ending<Result>, faults: number) => void;
}

/** The most turns of the event loop between two calls. They take some seconds, longer than any computation. */
const mostTurns = 5_000_000;

interface SimulationParts {
  readonly random: Random;
  readonly decide: Decide;
  readonly trace: (line: string) => void;
  /** The share of slow invocations. */
  readonly slowShare: number;
}

export class Simulation {
  readonly #random: Random;
  readonly #decide: Decide;
  readonly #trace: (line: string) => void;
  readonly #slowShare: number;
  readonly #running = new Map<number, Invocation>();
  #lastId = 0;
  /** The number of calls so far, including the failed ones. */
  calls = 0;
  deaths = 0;

  constructor({ random, decide, trace, slowShare }: SimulationParts) {
    this.#random = random;
    this.#decide = decide;
    this.#trace = trace;
    this.#slowShare = slowShare;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Starts an invocation. Resolves when the invocation waits at its first call, or has ended without one. */
  async start<Result>({ name, timeoutMs, run, ended }: Work<Result>): Promise<void> {
    const invocation: Invocation = new Invocation({
      id: ++this.#lastId,
      name,
      startedAt: Date.now(),
      endsAt: Date.now() + timeoutMs,
      pace: this.#random.chance(this.#slowShare) ? 0.05 : 1,
      end: (ending) => ended(ending as Ending<Result>, invocation.faults),
    });
    this.#running.set(invocation.id, invocation);
    this.#trace(`${invocation.id} starts ${name}`);
    invocations.run(invocation, () => {
      run().then(
        (result) => this.#end(invocation, { kind: 'returned', result }),
        (error: unknown) => this.#end(invocation, { kind: 'failed', error }),
      );
    });
    await this.#settle();
  }

  /** Continues one invocation by one call. */
  async step(): Promise<void> {
    for (const one of this.#running.values()) if (Date.now() >= one.endsAt) this.#kill(one, 'its time is over');
    const chosen = this.#random.weighted([...this.#running.values()].map((one) => [one.pace, one]));
    if (!chosen) return;
    const position = this.#random.between(0, chosen.waiting.length - 1);
    const [waiting] = chosen.waiting.splice(position, 1);
    if (!waiting) throw new Error(`invocation ${chosen.id} of ${chosen.name} waits for nothing`);
    this.calls += 1;
    const outcome = await this.#decide(waiting.call, chosen);
    this.#trace(`${chosen.id} ${chosen.name} ${waiting.call.name}${keysIn(waiting.call)}: ${outcomeText(outcome)}`);
    if (outcome.kind === 'death') await this.#die(chosen);
    else if (outcome.kind === 'error') waiting.reject(outcome.error);
    else waiting.resolve(outcome.reply);
    await this.#settle();
  }

  /** Ends an invocation. Calls that it had already sent may still be carried out. */
  async #die(invocation: Invocation): Promise<void> {
    const sent = invocation.waiting.filter(({ call }) => call.kind !== 'pause' && this.#random.chance(0.5));
    this.#kill(invocation, 'a crash');
    for (const { call } of sent) await call.carryOut().catch(() => undefined);
  }

  #kill(invocation: Invocation, cause: string): void {
    this.deaths += 1;
    invocation.waiting.length = 0;
    this.#trace(`${invocation.id} ${invocation.name} dies: ${cause}`);
    this.#end(invocation, { kind: 'died' });
  }

  #end(invocation: Invocation, ending: Ending<unknown>): void {
    if (invocation.isOver) return;
    invocation.isOver = true;
    this.#running.delete(invocation.id);
    if (ending.kind !== 'died') this.#trace(`${invocation.id} ${invocation.name} ${ending.kind}`);
    invocation.end(ending);
  }

  /** Waits until every invocation waits for a call. */
  async #settle(): Promise<void> {
    let computing: Invocation | undefined;
    for (let turn = 0; turn < mostTurns; turn += 1) {
      await nextTurn();
      computing = [...this.#running.values()].find(({ waiting }) => waiting.length === 0);
      if (!computing) return;
    }
    throw new Error(`${computing?.name} waits for something that the simulation does not control`);
  }
}

/** The keys of the items that a call writes or gets. */
function keysIn({ kind, input }: Call): string {
  if (kind !== 'write' && kind !== 'read') return '';
  const keys = JSON.stringify(input).matchAll(/"pk":"([^"]*)","sk":"([^"]*)"/g);
  return [...keys].map(([, pk, sk]) => ` ${pk} ${sk}`).join(',');
}

function outcomeText(outcome: Outcome): string {
  return outcome.kind === 'error' ? outcome.error.name : outcome.kind;
}

/** Lets the running invocation wait for a call. A call outside any invocation is carried out at once. */
export function callThrough(call: Call): Promise<unknown> {
  const invocation = invocations.getStore();
  return invocation ? invocation.wait(call) : call.carryOut();
}

/** The invocation that is running. */
export const presentInvocation = (): Invocation | undefined => invocations.getStore();

interface Command {
  readonly input: unknown;
}

interface SurroundingParts {
  readonly random: Random;
  readonly startsAt: Date;
  /** Puts events on the bus. */
  readonly publish: (input: unknown) => object;
  /** Puts messages into a queue. */
  readonly send: (input: unknown) => object;
  /** Replaces the calls of DynamoDB; undefined for a real DynamoDB. */
  readonly carryOut: SoakTable['carryOut'];
}

/** Replaces everything that functions use from outside: DynamoDB, the bus, queues, pauses, time and randomness. */
export class Surroundings {
  readonly #restore: (() => void)[] = [];
  readonly #dueEver = new Set<string>();
  #random: Random;

  constructor({ random, startsAt, publish, send, carryOut }: SurroundingParts) {
    this.#random = random;
    const instead = (owner: object, name: string, value: unknown) => this.#restore.push(replace(owner, name, value));
    instead(
      DynamoDBDocumentClient.prototype,
      'send',
      controlledSend(DynamoDBDocumentClient.prototype.send, this.#dueEver, carryOut),
    );
    instead(EventBridgeClient.prototype, 'send', controlledPublish(publish));
    instead(SQSClient.prototype, 'send', controlledPublish(send));
    // Replaces the caches of functions: their content would outlive a history, and a simulated death does not clear
    // them.
    instead(PaymentAccounts.prototype, 'findCached', PaymentAccounts.prototype.find);
    instead(PlatformKeys.prototype, 'of', async () => Buffer.alloc(32));
    instead(globalThis, 'setTimeout', controlledTimeout(globalThis.setTimeout));
    const { random: unpredictable } = Math;
    // The client libraries draw random numbers too, and not equally many in each run. So only calls inside invocations
    // use the random numbers of the history.
    instead(Math, 'random', () => (presentInvocation() ? this.#random.next() : unpredictable()));
    instead(crypto, 'randomBytes', (count: number) => this.#random.bytes(count));
    syncBuiltinESMExports();
    mock.timers.enable({ apis: ['Date'], now: startsAt });
  }

  /** Begins another history, with a new time and new identifiers. */
  reset(random: Random, startsAt: Date): void {
    this.#random = random;
    this.#dueEver.clear();
    mock.timers.setTime(startsAt.getTime());
  }

  passTime(milliseconds: number): void {
    mock.timers.setTime(Date.now() + milliseconds);
  }

  restore(): void {
    mock.timers.reset();
    for (const restore of this.#restore.toReversed()) restore();
    syncBuiltinESMExports();
  }
}

function replace(owner: object, name: string, value: unknown): () => void {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (original) Object.defineProperty(owner, name, original);
    else Reflect.deleteProperty(owner, name);
  };
}

const reads: ReadonlySet<string> = new Set(['Get', 'BatchGet', 'Query', 'Scan']);

const duePartition = /"DUE#[^"]*"/g;

/**
 * Makes the `send` function of a client of the table.
 *
 * @param dueEver partitions of the index of expiring claims: every partition that a write has named so far. All others
 * are empty
 */
function controlledSend(
  send: (command: never) => Promise<unknown>,
  dueEver: Set<string>,
  replacement: SoakTable['carryOut'],
) {
  return function (this: object, command: Command): Promise<unknown> {
    const name = nameOf(command);
    const kind = reads.has(name) ? 'read' : 'write';
    const due = JSON.stringify(command.input).match(duePartition) ?? [];
    if (kind === 'write') for (const one of due) dueEver.add(one);
    // A sweep reads 64 partitions for every minute that has passed. Without this shortcut, most calls of a history
    // would be reads of empty partitions.
    if (kind === 'read' && due.length > 0 && due.every((one) => !dueEver.has(one))) {
      return Promise.resolve({ Items: [] });
    }
    const { input } = command;
    const carryOut = async () => {
      const reply = await (replacement ? replacement(name, input) : Reflect.apply(send, this, [command]));
      return name === 'BatchGet' ? inOrder(reply as BatchReply) : reply;
    };
    return callThrough({ kind, name, input, carryOut });
  };
}

interface BatchReply {
  readonly Responses?: Readonly<Record<string, readonly { readonly pk: string; readonly sk: string }[]>>;
}

/** Sorts the items of a batch. DynamoDB returns them in any order, but a history has to be the same each time. */
function inOrder({ Responses = {}, ...rest }: BatchReply): BatchReply {
  const sorted = Object.entries(Responses).map(([table, items]) => [
    table,
    items.toSorted((one, other) => (`${one.pk}\n${one.sk}` < `${other.pk}\n${other.sk}` ? -1 : 1)),
  ]);
  return { ...rest, Responses: Object.fromEntries(sorted) };
}

/** Makes the `send` function of a client of the bus or of queues. */
function controlledPublish(publish: (input: unknown) => object) {
  return (command: Command): Promise<unknown> => {
    const { input } = command;
    const carryOut = async (part = input) => publish(part);
    return callThrough({ kind: 'publish', name: nameOf(command), input, carryOut });
  };
}

const nameOf = (command: Command): string => command.constructor.name.replace(/Command$/, '');

function controlledTimeout(setTimeout: (callback: () => void, milliseconds?: number) => unknown) {
  return (callback: (...parts: unknown[]) => void, milliseconds = 0, ...parts: unknown[]): unknown => {
    if (!presentInvocation()) return setTimeout(() => callback(...parts), milliseconds);
    void callThrough({ kind: 'pause', name: 'pause', input: null, carryOut: async () => undefined }).then(() =>
      callback(...parts),
    );
    return undefined;
  };
}
