import type { AnyContract } from '../../shared/contracts/contract.ts';
import { minuteMs } from '../../shared/contracts/limits.ts';
import type { Answer, Request } from '../support/call.ts';
import type { ModelCampaign, SceneMember, SceneMerchant } from './scene.ts';

/** What clients asked and what they were answered: the simple model that the table is compared with. */

/** A request of a client. */
export interface Attempt {
  /** `spend p-7`: for traces and violations. */
  readonly name: string;
  readonly handler: unknown;
  readonly contract: AnyContract;
  readonly request: Request;
  /** The statuses that an answer may have. */
  readonly expected: readonly number[];
  /** Whether the client may send it again after it received no answer. */
  readonly isRepeatable: boolean;
  /** Called before each sending. */
  readonly sent?: () => void;
  /** Receives the answer, unless it was an error of the platform. */
  readonly answered: (answer: Answer) => void;
}

/** A transaction token. */
export interface Token {
  readonly text: string;
  readonly purchase: Purchase;
  readonly issuedAt: number;
  /** The requests that created its transactions. Requests with one idempotency key are one. */
  readonly spentBy: Set<string>;
  /** The transactions, as the first answer named them. */
  transactionIds: readonly number[];
  /** How many requests were sent to spend it. */
  sends: number;
}

/** An external transaction that a member wants to make under a campaign. */
interface Purchase {
  readonly campaign: ModelCampaign;
  readonly member: SceneMember;
  readonly externalId: string;
  readonly cents: number;
}

interface PlacedRefund {
  readonly externalId: string;
  readonly cents: number;
  isAccepted: boolean;
}

/** An external order. */
export interface PlacedOrder {
  readonly merchantId: number;
  readonly member: SceneMember;
  readonly externalId: string;
  readonly totalCents: number;
  readonly eligibleCents: number;
  /** The platform's id, once an answer contained it. */
  id: string | undefined;
  readonly refunds: PlacedRefund[];
}

/** The stages of a refund and of a dispute, from early to late: a later one replaces an earlier one. */
export const refundStages = ['pending', 'completed', 'failed'] as const;
export const disputeStages = ['opened', 'funds_withdrawn', 'reinstated', 'won', 'lost'] as const;
export type RefundStage = (typeof refundStages)[number];
export type DisputeStage = (typeof disputeStages)[number];

/** Money that goes back to the customer, or may. */
export interface Return<Stage> {
  readonly id: string;
  readonly cents: number;
  /** The stages that were reported, in their order. */
  readonly stages: Stage[];
}

/** One payment at one payment platform. */
export interface Sale {
  readonly id: string;
  readonly platform: 'stripe' | 'canonical';
  readonly merchant: SceneMerchant;
  /** The customer's id at the merchant, and at the platform. A guest has neither. */
  readonly externalId: string | undefined;
  readonly customerId: string | undefined;
  /** The external order that it pays for, which may be reported otherwise too. */
  readonly orderId: string | undefined;
  readonly captures: { readonly id: string; readonly cents: number; readonly eligible: number; readonly at: number }[];
  readonly refunds: Return<RefundStage>[];
  readonly disputes: Return<DisputeStage>[];
}

/** A trigger event. Its context contains its name, so that it is found in the table. */
export interface SentTrigger {
  readonly name: string;
  readonly campaign: ModelCampaign;
  readonly member: SceneMember;
  readonly hasKey: boolean;
  sends: number;
  readonly eventIds: Set<string>;
}

/** A person who links an open account. */
export interface Connecting {
  readonly memberId: string;
  readonly externalId: string;
  readonly referrerExternalId: string | undefined;
  /** How many steps the person has made. The answer to a repeated request leads to no second next step. */
  steps: number;
  isDone: boolean;
}

/** An answer to a request with an idempotency key. */
interface KeptAnswer {
  readonly at: number;
  readonly status: number;
  readonly body: string;
}

/** A client gives up earlier than the platform forgets an idempotency key. */
const clientGivesUpMs = 20 * 60 * minuteMs;

export class Story {
  readonly tokens: Token[] = [];
  readonly orders: PlacedOrder[] = [];
  readonly triggers: SentTrigger[] = [];
  readonly connects: Connecting[] = [];
  readonly sales: Sale[] = [];
  /** The points that moved at the partner's own program without the platform, by the member's id there. */
  readonly moved = new Map<string, number>();
  /** Requests that follow from an answer and are not sent yet. */
  readonly next: Attempt[] = [];
  /** Requests without an answer, which their client may send again. */
  readonly unanswered: Attempt[] = [];
  /** Requests with an answer. Clients may send them again, too. */
  readonly answered: Attempt[] = [];
  readonly violations: string[] = [];
  /** How many requests were sent that concern an external id. */
  readonly #sends = new Map<string, number>();
  readonly #firstSentAt = new Map<Attempt, number>();
  readonly #answers = new Map<string, KeptAnswer>();
  #names = 0;

  /** Whether a client still sends a request: a key is valid for a day. */
  isTimely(attempt: Attempt): boolean {
    const firstAt = this.#firstSentAt.get(attempt) ?? Date.now();
    this.#firstSentAt.set(attempt, firstAt);
    return attempt.request.headers?.['Idempotency-Key'] === undefined || Date.now() - firstAt < clientGivesUpMs;
  }

  /** A new name: of an external id, a key, a refund. */
  newName(kind: string): string {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }

  countSend(externalId: string): void {
    this.#sends.set(externalId, this.sendsOf(externalId) + 1);
  }

  /** How many tokens and orders were requested with an external id. */
  sendsOf(externalId: string): number {
    return this.#sends.get(externalId) ?? 0;
  }

  violated(what: string): void {
    if (!this.violations.includes(what)) this.violations.push(what);
  }

  /** A repeated request with an idempotency key receives the answer of the first, for a day. */
  checkRepeated({ name, request }: Attempt, { status, body }: Answer): void {
    const key = request.headers?.['Idempotency-Key'];
    if (key === undefined) return;
    const { request_id: _, ...rest } = Object(body);
    const present = { at: Date.now(), status, body: JSON.stringify(rest) };
    const first = this.#answers.get(key);
    if (!first) this.#answers.set(key, present);
    else if (first.body !== present.body && present.at - first.at < clientGivesUpMs) {
      this.violated(`${name}: answered ${first.body}, and repeated with the same key ${present.body}`);
    }
  }
}
