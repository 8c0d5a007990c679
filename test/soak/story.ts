import type { AnyContract } from '../../shared/contracts/contract.ts';
import { minuteMs } from '../../shared/contracts/limits.ts';
import type { Answer, Request } from '../support/call.ts';
import type { ModelCampaign, SceneMember, SceneMerchant } from './scene.ts';

/** The requests of clients and their answers: the simple model that the table is compared with. */

/** A request of a client. */
export interface Attempt {
  /** `spend p-7`: for traces and violations. */
  readonly name: string;
  readonly handler: unknown;
  readonly contract: AnyContract;
  readonly request: Request;
  /** The statuses that the answer may have. */
  readonly expected: readonly number[];
  /** Whether the client may send the request again if it received no answer. */
  readonly isRepeatable: boolean;
  /** Called each time before the request is sent. */
  readonly sent?: () => void;
  /** Called with the answer, unless it is a failure of the platform. */
  readonly answered: (answer: Answer) => void;
}

/** A transaction token. */
export interface Token {
  readonly text: string;
  readonly purchase: Purchase;
  readonly issuedAt: number;
  /** The requests that spent the token. Requests with the same idempotency key count as one. */
  readonly spentBy: Set<string>;
  /** The ids of the transactions in the first answer. */
  transactionIds: readonly number[];
  /** How many requests were sent to spend the token. */
  sends: number;
  /** Refunds of its transactions. */
  readonly refunds: PlacedRefund[];
}

/** An external transaction that a member wants to make under a campaign. */
interface Purchase {
  readonly campaign: ModelCampaign;
  readonly member: SceneMember;
  readonly externalId: string;
  readonly cents: number;
}

export interface PlacedRefund {
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
  /** The platform's id of the order; undefined until an answer contains it. */
  id: string | undefined;
  readonly refunds: PlacedRefund[];
}

/** A purchase that is paid in parts. Its merchant may also report it, as an order or by tokens. */
export interface Basket {
  readonly merchantId: number;
  readonly member: SceneMember;
  readonly externalId: string;
  readonly cents: number;
}

/** An account of a member that was unlinked at a merchant. */
export interface Unlinking {
  readonly merchantId: number;
  readonly partnerId: number;
  readonly memberId: number;
}

/** The stages of a refund and of a dispute, from early to late: a later one replaces an earlier one. */
export const refundStages = ['pending', 'completed', 'failed'] as const;
export const disputeStages = ['opened', 'funds_withdrawn', 'reinstated', 'won', 'lost'] as const;
export type RefundStage = (typeof refundStages)[number];
export type DisputeStage = (typeof disputeStages)[number];

/** Money that goes back to the customer, or may go back. */
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
  /** The customer's id at the merchant, and at the payment platform. A guest has neither. */
  readonly externalId: string | undefined;
  readonly customerId: string | undefined;
  /**
   * The external order that the payment is for; undefined until the payment names it. The order may also be reported by
   * other requests.
   */
  orderId: string | undefined;
  readonly captures: { readonly id: string; readonly cents: number; readonly eligible: number; readonly at: number }[];
  /** The order as the payment platform states it. */
  statedOrder?: { readonly totalCents: number; readonly eligibleCents: number; readonly at: number };
  /** The highest running total of refunds. */
  refundedTotal: number;
  readonly refunds: Return<RefundStage>[];
  readonly disputes: Return<DisputeStage>[];
}

/** A trigger event. The event's context contains the name, so that the checks find the event in the table. */
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
  /**
   * How many steps the person has made. A repeated request may have two answers: only the first answer leads to a next
   * step.
   */
  steps: number;
  isDone: boolean;
}

/** The answer that was received for a request with an idempotency key. */
interface KeptAnswer {
  readonly at: number;
  readonly status: number;
  readonly body: string;
}

/** A client stops repeating a request before the platform forgets its idempotency key. */
const clientGivesUpMs = 20 * 60 * minuteMs;

export class Story {
  readonly tokens: Token[] = [];
  readonly orders: PlacedOrder[] = [];
  readonly triggers: SentTrigger[] = [];
  readonly connects: Connecting[] = [];
  readonly sales: Sale[] = [];
  readonly baskets: Basket[] = [];
  readonly unlinks: Unlinking[] = [];
  /** The points that moved at the partner's own program without the platform, by the member's id in that program. */
  readonly moved = new Map<string, number>();
  /** Requests that follow from an answer and are not sent yet. */
  readonly next: Attempt[] = [];
  /** Requests without an answer, which their client may send again. */
  readonly unanswered: Attempt[] = [];
  /** Requests with an answer. Clients may send them again, too. */
  readonly answered: Attempt[] = [];
  readonly violations: string[] = [];
  /** How many requests were sent with each external id. */
  readonly #sends = new Map<string, number>();
  readonly #firstSentAt = new Map<Attempt, number>();
  readonly #answers = new Map<string, KeptAnswer>();
  #names = 0;

  /** Whether a client may repeat a request at this time. The idempotency key of the request is valid for a day. */
  isTimely(attempt: Attempt): boolean {
    const firstAt = this.#firstSentAt.get(attempt) ?? Date.now();
    this.#firstSentAt.set(attempt, firstAt);
    return attempt.request.headers?.['Idempotency-Key'] === undefined || Date.now() - firstAt < clientGivesUpMs;
  }

  /** Returns a new name for an external id, a key or a refund. */
  newName(kind: string): string {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }

  countSend(externalId: string): void {
    this.#sends.set(externalId, this.sendsOf(externalId) + 1);
  }

  /** How many tokens and orders were requested with this external id. */
  sendsOf(externalId: string): number {
    return this.#sends.get(externalId) ?? 0;
  }

  violated(what: string): void {
    if (!this.violations.includes(what)) this.violations.push(what);
  }

  /** Checks the answer to a repeated request with an idempotency key: for a day, it equals the first answer. */
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
