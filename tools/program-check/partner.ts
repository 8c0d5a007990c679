import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import {
  type PostTransaction,
  type ProgramCall,
  programCalls,
  type QueriedTransaction,
  type TransactionAnswer,
  type VerifiedMember,
} from '../../shared/programs/contract.ts';
import { keyOfSecret, standardHeaders } from '../../shared/webhooks/standard-webhooks.ts';

/** The settings with which the check calls a partner's server. */
export interface PartnerSettings {
  readonly baseUrl: string;
  /** The shared secret, `whsec_…`. */
  readonly secret: string;
  /** An account for the check; the check leaves its balance as it was. */
  readonly memberId: string;
  readonly proof: string;
  /** How long to wait for the reply to a request. */
  readonly deadlineMs: number;
  /** How long to wait until an accepted transaction is confirmed or rejected. */
  readonly waitMs: number;
}

/** The server breaks the contract. The message says how. */
export class BrokenContractError extends Error {
  override readonly name = 'BrokenContractError';
}

/** @throws BrokenContractError when the condition does not hold */
export function require(condition: boolean, fault: string): asserts condition {
  if (!condition) throw new BrokenContractError(fault);
}

/** A reply as it arrived. */
export interface RawReply {
  readonly status: number;
  readonly text: string;
}

/** How to change a request before it is sent. */
export interface Tampering {
  /** Replaces the headers of the signature. */
  readonly headers?: (headers: Readonly<Record<string, string>>, key: Buffer) => Readonly<Record<string, string>>;
  /** Replaces the body, after it was signed. */
  readonly body?: (body: string) => string;
  /** Writes the body in place of `JSON.stringify`. The signature is made of this text. */
  readonly format?: (request: unknown) => string;
  readonly signedAt?: Date;
}

/** The maximum length of a reply that the platform reads. */
const maximumReplyBytes = 16 * 1024;

/** A partner's server, called as the platform calls it. */
export class Partner {
  readonly settings: PartnerSettings;
  readonly #key: Buffer;

  constructor(settings: PartnerSettings) {
    this.settings = settings;
    this.#key = keyOfSecret(settings.secret);
  }

  /** Sends a request, changed as `tampering` describes. */
  async send(path: string, request: unknown, tampering: Tampering = {}): Promise<RawReply> {
    const {
      format = JSON.stringify,
      signedAt = new Date(),
      headers = (same) => same,
      body = (same) => same,
    } = tampering;
    const signed = format(request);
    const own = {
      'content-type': 'application/json',
      ...standardHeaders({ id: randomUUID(), body: signed, signedAt }, [this.#key]),
    };
    const { deadlineMs, baseUrl } = this.settings;
    try {
      const response = await fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
        method: 'POST',
        headers: headers(own, this.#key),
        body: body(signed),
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new BrokenContractError(`${path} gave no reply within ${deadlineMs} ms: ${reasonOf(error)}`);
    }
  }

  /** Makes a call of the contract. @throws BrokenContractError when the reply breaks the contract */
  async call<Call extends ProgramCall>(
    { path, reply }: Call,
    request: z.input<Call['request']>,
    tampering?: Tampering,
  ): Promise<z.output<Call['reply']>> {
    const { status, text } = await this.send(path, request, tampering);
    require(status === 200, `${path} replied ${status} instead of 200: ${excerpt(text)}`);
    require(text.length <= maximumReplyBytes, `${path} replied more than 16 KB`);
    const parsed = reply.safeParse(parseJson(path, text));
    require(parsed.success, `${path} replied ${excerpt(text)}; ${parsed.error?.issues.map(({ path: at, message }) => `${at.join('.') || 'the reply'}: ${message}`).join('; ')}`);
    return parsed.data as z.output<Call['reply']>;
  }

  verify(memberId: string, proof: string): Promise<VerifiedMember> {
    return this.call(programCalls.verifyMember, { member_id: memberId, proof });
  }

  /** The balance of the account of the check. */
  async balance(): Promise<number> {
    const { memberId } = this.settings;
    const found = await this.call(programCalls.getBalance, { member_id: memberId });
    require(found.result === 'found', `/members/balance does not find the account ${memberId}`);
    return found.balance;
  }

  /** A new transaction for the account of the check. */
  posting(type: PostTransaction['type'], points: number, more: Partial<PostTransaction> = {}): PostTransaction {
    return {
      transaction_uuid: randomUUID(),
      type,
      member_id: this.settings.memberId,
      points_change: points,
      cashback_change_cents: 0,
      reversed_transaction_uuid: null,
      merchant_id: 1,
      campaign_id: 1,
      order_id: 'conformance check',
      purchase_amount_cents: 0,
      created_at: new Date().toISOString(),
      ...more,
    };
  }

  /** Posts once, without waiting for the final answer. */
  post(posting: PostTransaction, tampering: Tampering = {}): Promise<TransactionAnswer> {
    const { headers = (same) => same } = tampering;
    const key = { 'idempotency-key': posting.transaction_uuid };
    return this.call(programCalls.postTransaction, posting, {
      ...tampering,
      headers: (own, secret) => headers({ ...own, ...key }, secret),
    });
  }

  /** Posts, and waits for the final answer when the program answers later. */
  async settle(posting: PostTransaction): Promise<TransactionAnswer> {
    const answer = await this.post(posting);
    return answer.status === 'accepted' ? this.#finalAnswer(posting.transaction_uuid) : answer;
  }

  async #finalAnswer(uuid: string): Promise<TransactionAnswer> {
    const until = performance.now() + this.settings.waitMs;
    for (;;) {
      const answer = await this.query(uuid);
      require(answer.status !== 'not_found', `transaction ${uuid} was accepted, and the query does not find it`);
      if (answer.status !== 'accepted') return answer;
      require(performance.now() <
        until, `transaction ${uuid} was accepted, and neither confirmed nor rejected within ${this.settings.waitMs} ms; give more time with --wait`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  query(uuid: string): Promise<QueriedTransaction> {
    return this.call(programCalls.queryTransaction, { transaction_uuid: uuid });
  }

  async cancel(uuid: string): Promise<void> {
    await this.call(programCalls.cancelTransaction, { transaction_uuid: uuid });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BrokenContractError(`${path} replied something that is not JSON: ${excerpt(text)}`);
  }
}

export const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text || 'nothing');

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
