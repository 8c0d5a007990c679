import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { LoyaltyProgram, Unknown } from '../../shared/programs/program.ts';
import { Programs } from '../../shared/programs/programs.ts';
import { keyOfSecret, standardHeaders } from '../../shared/webhooks/standard-webhooks.ts';
import type { CallName, Fault } from '../../tools/program-server/faults.ts';
import { startProgramServer } from '../../tools/program-server/server.ts';
import { aProgramSecret, ProgramControl } from '../support/program-server.ts';
import { LostReplyError } from './faults.ts';
import type { Random } from './random.ts';
import { callThrough } from './simulation.ts';

/**
 * The program that one partner runs itself. It is the demonstration program: a server with its own books, called over
 * HTTP. Each call is one step of the simulation, so the worker may die before or after the call, and the reply may be
 * lost. The server itself also fails: the history chooses the calls and the faults.
 */

type ProgramFault = Pick<Fault, 'fault' | 'status' | 'retry_after' | 'points'>;

/** For each call: how often the server itself fails, and with which fault. */
const shares: Readonly<Partial<Record<CallName, readonly (readonly [share: number, fault: ProgramFault])[]>>> = {
  transactions: [
    [0.08, { fault: 'reject' }],
    [0.15, { fault: 'accept' }],
    [0.03, { fault: 'fail' }],
    [0.03, { fault: 'fail', status: 429, retry_after: 40 }],
    [0.04, { fault: 'fail_after' }],
    [0.04, { fault: 'reset_after' }],
    [0.03, { fault: 'garbage' }],
    [0.02, { fault: 'hang' }],
    [0.02, { fault: 'hang_after' }],
    [0.03, { fault: 'forget' }],
  ],
  query: [
    [0.03, { fault: 'hang' }],
    [0.05, { fault: 'fail' }],
    [0.05, { fault: 'garbage' }],
  ],
  cancel: [
    [0.1, { fault: 'fail' }],
    [0.1, { fault: 'fail_after' }],
    [0.04, { fault: 'hang_after' }],
  ],
  balance: [
    [0.1, { fault: 'fail' }],
    [0.1, { fault: 'lie', points: 7 }],
  ],
};

/** What the platform knows when no reply comes in time. */
const noReply: Unknown = { kind: 'unknown', cause: 'no reply in time' };

/** A report that the program sends to the platform, as its bytes and its headers. */
export interface SignedReport {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The program of a partner. One object serves all histories, but each history has a new server with empty books. */
export class PartnerProgram {
  readonly #restore: () => void;
  readonly #secret = aProgramSecret();
  #server: Awaited<ReturnType<typeof startProgramServer>> | undefined;
  #random: Random | undefined;
  #isUnreliable: () => boolean = () => false;
  /** While this is true, the program refuses every request. */
  isDown = false;

  /** Takes the place of every program that the platform does not host. */
  constructor() {
    const { of, keysOf } = Programs.prototype;
    const findReal = function (this: Programs, ...parts: Parameters<typeof of>) {
      return Reflect.apply(of, this, parts);
    };
    const control = (program: LoyaltyProgram) => this.#control(program);
    Programs.prototype.of = function (...parts) {
      const program = findReal.apply(this, parts);
      return program.isHosted ? program : control(program);
    };
    Programs.prototype.keysOf = async () => [keyOfSecret(this.#secret)];
    this.#restore = () => void Object.assign(Programs.prototype, { of, keysOf });
  }

  /** Starts a server with empty books. While `isUnreliable()` is true, it fails at random. */
  async reset(random: Random, isUnreliable: () => boolean): Promise<void> {
    await this.#server?.close();
    this.#server = await startProgramServer({ secrets: [this.#secret] });
    this.#random = random;
    this.#isUnreliable = isUnreliable;
    this.isDown = false;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  get control(): ProgramControl {
    return new ProgramControl(this.url);
  }

  async stop(): Promise<void> {
    this.#restore();
    await this.#server?.close();
  }

  /** The transactions that the program has accepted and not answered yet. */
  async accepted(): Promise<string[]> {
    const { transactions } = await this.control.books();
    return Object.entries(transactions).flatMap(([uuid, { status }]) => (status === 'accepted' ? [uuid] : []));
  }

  /** Signs a report at this instant. */
  sign(id: string, body: object): SignedReport {
    const text = JSON.stringify(body);
    const key = keyOfSecret(this.#secret);
    return { body, headers: standardHeaders({ id, body: text, signedAt: new Date() }, [key]) };
  }

  #control(real: LoyaltyProgram): LoyaltyProgram {
    return {
      ...real,
      post: (transaction) => this.#ask('transactions', transaction, () => real.post(transaction)),
      settle: (transaction, points) => this.#ask('transactions', transaction, () => real.settle(transaction, points)),
      query: (transaction) => this.#ask('query', transaction, () => real.query(transaction)),
      takeBack: (transaction) => this.#ask('cancel', transaction, () => real.takeBack(transaction)),
      balance: (memberId) => this.#ask('balance', { uuid: memberId }, () => real.balance(memberId)),
    };
  }

  async #ask<Reply>(
    name: CallName,
    { uuid }: Pick<RewardTransaction, 'uuid'>,
    send: () => Promise<Reply>,
  ): Promise<Reply | Unknown> {
    const carryOut = () => this.#withFault(name, send);
    try {
      return (await callThrough({ kind: 'program', name: `program ${name} ${uuid}`, input: null, carryOut })) as Reply;
    } catch (error) {
      if (error instanceof LostReplyError) return { kind: 'unknown', cause: error.message };
      throw error;
    }
  }

  async #withFault<Reply>(call: CallName, send: () => Promise<Reply>): Promise<Reply | Unknown> {
    const fault = this.#isUnreliable() ? this.#chooseFault(call) : undefined;
    if (!fault) return send();
    // Nobody waits here for a reply that does not come.
    if (fault.fault === 'hang') return noReply;
    if (fault.fault !== 'hang_after') await this.control.order({ ...fault, call, times: 1 });
    try {
      const reply = await send();
      // A program that forgets what it has confirmed breaks its promise. It may forget what nobody knows it has done.
      return fault.fault === 'hang_after' || fault.fault === 'forget' ? noReply : reply;
    } finally {
      await this.control.clearFaults();
    }
  }

  #chooseFault(call: CallName): ProgramFault | undefined {
    if (this.isDown) return { fault: 'fail', status: 503 };
    const own = shares[call] ?? [];
    const none = 1 - own.reduce((sum, [share]) => sum + share, 0);
    return this.#random?.weighted<ProgramFault | undefined>([[none, undefined], ...own]);
  }
}
