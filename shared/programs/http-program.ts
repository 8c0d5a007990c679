import type * as z from 'zod/mini';
import { maximumBytes, programMs } from '../contracts/limits.ts';
import type { ProvenAccount } from '../domain/connect/decide-link.ts';
import { coveredPoints, kindOf, type TransactionKind } from '../domain/ledger/movement-table.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import { parseJson } from '../domain/parse-json.ts';
import { settlementUuidOf } from '../store/ledger/ledger.ts';
import type { AttemptOutcome, ErrorClass } from '../webhooks/attempt-outcome.ts';
import type { EndpointPolicy } from '../webhooks/destination.ts';
import { createPoster, type Poster } from '../webhooks/post.ts';
import { standardHeaders } from '../webhooks/standard-webhooks.ts';
import {
  type PostTransaction,
  type ProgramCall,
  programCalls,
  type TransactionAnswer,
  type VerifiedMember,
} from './contract.ts';
import { type LoyaltyProgram, type PostingOutcome, ProgramUnavailableError, type Unknown } from './program.ts';

/** A partner's own program, which speaks the published contract. */
export interface HttpProgram {
  readonly partnerId: number;
  /** The URL of the program, to which the paths of the contract are appended. */
  readonly baseUrl: string;
  /** The keys of the shared secrets: two while a secret is replaced. */
  readonly keys: () => Promise<readonly Uint8Array[]>;
  /** Finds a user's account number in the program. */
  readonly memberIdOf: (userId: number) => Promise<string>;
}

/** What requests to programs need. */
export interface HttpProgramDeps {
  readonly poster: Pick<Poster, 'post'>;
  readonly now: () => Date;
  readonly nextUuid: () => string;
}

/**
 * The HTTP client of programs. Like the client of webhooks, it connects to public addresses only and limits time and
 * memory. It opens a connection for each request, because a request over a reused connection may be sent twice.
 */
export const createProgramPoster = (policy: EndpointPolicy, now: () => Date, deadlineMs = programMs.requestDeadline) =>
  createPoster({
    policy,
    now,
    deadlineMs,
    userAgent: 'RewardsPlatform-Programs/1',
    excerptBytes: maximumBytes.webhookReplyBody,
    keepsConnections: false,
  });

/** The adapter of a program that speaks the published contract (docs/programs/openapi.yaml). */
export function httpProgram(program: HttpProgram, deps: HttpProgramDeps): LoyaltyProgram {
  const { partnerId, memberIdOf } = program;
  const ask = <Call extends AnyCall>(call: Call, request: z.input<Call['request']>, headers = {}) =>
    askProgram(program, { call, request, headers }, deps);

  const post = (request: PostTransaction) =>
    ask(programCalls.postTransaction, request, { 'idempotency-key': request.transaction_uuid });

  return {
    isHosted: false,
    verify: async ({ memberId, proof }) => {
      const answer = await ask(programCalls.verifyMember, { member_id: memberId, proof });
      if (answer.kind === 'unknown') throw new ProgramUnavailableError(answer.cause);
      return toProvenAccount(partnerId, answer.reply);
    },
    post: async (transaction) => {
      const { uuid, userId } = transaction;
      return toPosted(uuid, await post(toPosting(transaction, await memberIdOf(userId))));
    },
    query: async ({ uuid }) => {
      const answer = await ask(programCalls.queryTransaction, { transaction_uuid: uuid });
      if (answer.kind === 'unknown') return answer;
      if (answer.reply.transaction_uuid !== uuid) return anotherTransaction;
      return answer.reply.status === 'not_found' ? { kind: 'not_found' } : toOutcome(answer.reply);
    },
    settle: async (transaction, points) => {
      const settlement = toSettlement(transaction, points, await memberIdOf(transaction.userId));
      return toPosted(settlement.transaction_uuid, await post(settlement));
    },
    takeBack: async ({ uuid }) => {
      const answer = await ask(programCalls.cancelTransaction, { transaction_uuid: uuid });
      if (answer.kind === 'unknown') return answer;
      return answer.reply.transaction_uuid === uuid ? { kind: 'done' } : anotherTransaction;
    },
    balance: async (memberId) => {
      const answer = await ask(programCalls.getBalance, { member_id: memberId });
      if (answer.kind === 'unknown') return answer;
      return answer.reply.result === 'found' ? { kind: 'found', points: answer.reply.balance } : { kind: 'not_found' };
    },
  };
}

type AnyCall = (typeof programCalls)[keyof typeof programCalls];

/** A reply that follows the contract. */
interface Answered<Reply> {
  readonly kind: 'reply';
  readonly reply: Reply;
}

interface Question<Call extends ProgramCall> {
  readonly call: Call;
  readonly request: z.input<Call['request']>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes one call. Without a reply that follows the contract, the outcome is unknown: the program may have moved the
 * points.
 */
async function askProgram<Call extends ProgramCall>(
  { baseUrl, keys }: HttpProgram,
  { call, request, headers }: Question<Call>,
  { poster, now, nextUuid }: HttpProgramDeps,
): Promise<Answered<z.output<Call['reply']>> | Unknown> {
  const body = JSON.stringify(request);
  const signed = standardHeaders({ id: nextUuid(), body, signedAt: now() }, await keys());
  const outcome = await poster.post({
    endpointUrl: `${baseUrl.replace(/\/+$/, '')}${call.path}`,
    headers: { ...signed, ...headers },
    body,
  });
  if (outcome.result === 'failed') return unknownAfter(outcome);
  const reply = parseJson(outcome.excerpt ?? '');
  const parsed = call.reply.safeParse(reply);
  if (!parsed.success) return { kind: 'unknown', cause: `status ${outcome.status}, the reply breaks the contract` };
  return { kind: 'reply', reply: parsed.data as z.output<Call['reply']> };
}

/** The causes of unknown outcomes, for operators. Error classes with an HTTP status have no text here. */
const causes: Readonly<Partial<Record<ErrorClass, string>>> = {
  forbidden: 'its address is not public',
  dns: 'its name has no address',
  connect: 'no connection',
  tls: 'no secure connection',
  timeout: 'no reply in time',
  reset: 'the connection ended without a reply',
  protocol: 'the reply is not HTTP',
};

function unknownAfter({
  errorClass,
  status,
  retryAfterSeconds,
}: Extract<AttemptOutcome, { result: 'failed' }>): Unknown {
  const cause = causes[errorClass] ?? `status ${status}`;
  return { kind: 'unknown', cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

const anotherTransaction: Unknown = { kind: 'unknown', cause: 'the reply is about another transaction' };

function toPosted(uuid: string, answer: Answered<TransactionAnswer> | Unknown): PostingOutcome {
  if (answer.kind === 'unknown') return answer;
  return answer.reply.transaction_uuid === uuid ? toOutcome(answer.reply) : anotherTransaction;
}

/** Translates the program's answer to a posting into the outcome of the posting. */
function toOutcome(answer: TransactionAnswer): PostingOutcome {
  switch (answer.status) {
    case 'confirmed': {
      const { reference, balance } = answer;
      return {
        kind: 'confirmed',
        ...(reference !== undefined && { reference }),
        ...(balance !== undefined && { balance }),
      };
    }
    case 'rejected':
      return { kind: 'rejected', reason: answer.reason };
    case 'cancelled':
      return { kind: 'rejected', reason: 'the transaction was cancelled' };
    case 'accepted':
      return { kind: 'accepted' };
  }
}

const wireTypes: Readonly<Record<TransactionKind, PostTransaction['type']>> = {
  EARN: 'earn',
  REDEEM: 'redeem',
  EARN_REVERSAL: 'earn_reversal',
  REDEEM_REVERSAL: 'redeem_reversal',
  // For the program, a restoration is a further award or payment.
  EARN_RESTORATION: 'earn',
  REDEEM_RESTORATION: 'redeem',
};

/** Whether a transaction of this kind adds points to the balance. */
const adds = (kind: TransactionKind) => ['EARN', 'REDEEM_REVERSAL', 'EARN_RESTORATION'].includes(kind);

/** The transaction as the program receives it. A reversal moves its points without the shortfall. */
function toPosting(transaction: RewardTransaction, memberId: string): PostTransaction {
  const kind = kindOf(transaction);
  // Cashback is given with an award and with a payment, and only a reversal takes it back.
  const isReversal = transaction.reverses !== undefined && !transaction.isRestoration;
  // JavaScript has a negative zero, JSON has none.
  const signed = (amount: number, isAdded: boolean) => (amount === 0 ? 0 : isAdded ? amount : -amount);
  return {
    transaction_uuid: transaction.uuid,
    type: wireTypes[kind],
    member_id: memberId,
    points_change: signed(coveredPoints(transaction), adds(kind)),
    cashback_change_cents: signed(transaction.cashbackCents, !isReversal),
    reversed_transaction_uuid: transaction.isRestoration ? null : (transaction.reverses?.uuid ?? null),
    merchant_id: transaction.merchantId,
    campaign_id: transaction.campaignId,
    order_id: transaction.externalTransactionId,
    purchase_amount_cents: transaction.amountCents,
    created_at: transaction.createdAt,
  };
}

/** The points that a transaction settled, as a separate transaction. */
function toSettlement(transaction: RewardTransaction, points: number, memberId: string): PostTransaction {
  return {
    ...toPosting(transaction, memberId),
    transaction_uuid: settlementUuidOf(transaction.uuid),
    type: 'settlement',
    points_change: points,
    cashback_change_cents: 0,
    reversed_transaction_uuid: transaction.uuid,
  };
}

function toProvenAccount(partnerId: number, verified: VerifiedMember): ProvenAccount | undefined {
  if (verified.result === 'refused') return undefined;
  const { member } = verified;
  return {
    partnerId,
    externalId: member.member_id,
    firstName: member.first_name,
    lastName: member.last_name,
    email: member.email,
    statusTierId: member.status_tier_id,
    points: member.balance,
  };
}
