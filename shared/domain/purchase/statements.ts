import { type AwardClaim, isEarning } from '../award/claim.ts';
import type { Order } from '../order/order.ts';
import { eligibleCents } from '../order/purchase-details.ts';
import type { Payment } from '../payment/payment.ts';
import { failedAmount, paymentPosition } from '../payment/payment-position.ts';
import { type Purchase, paidCentsOf, paysWithPoints } from './purchase.ts';

/** What each report states about a purchase, in cents. The order of the reports makes no difference. */

/** A refund that the merchant reported, with the time of its arrival. */
export interface MerchantRefund {
  readonly uuid: string;
  /** The refund's id in the merchant's system. */
  readonly id: string;
  readonly amountCents: number;
  /** ISO 8601. */
  readonly receivedAt: string;
}

/** The merchant's report of a purchase: an order, or a spent token. */
interface MerchantStatement {
  /** The UUID under which refunds of it are announced. */
  readonly uuid: string;
  readonly totalCents: number;
  /** The part of the total that may earn. */
  readonly eligibleCents: number;
  readonly refunds: readonly MerchantRefund[];
}

/** A spent token, or an award that a payment earned. Its merchant may refund it by its transactions. */
export interface ClaimStatement extends MerchantStatement {
  readonly campaignId: number;
  /** Whether a payment earned the award: then the claim states no amount of its own. */
  readonly isOfPayment: boolean;
}

/** A completed payment with points. */
interface RedemptionStatement extends MerchantStatement {
  readonly campaignId: number;
}

/** One payment of a payment platform, as its own book describes it. */
export interface PaymentStatement {
  readonly uuid: string;
  /** The payment account. Payments of two accounts may be two reports of the same money. */
  readonly account: string;
  readonly capturedCents: number;
  readonly eligibleCents: number;
  /** Refunds and disputes; at most the captured amount. */
  readonly returnedCents: number;
  /** What was captured once and failed afterwards. */
  readonly failedCents: number;
  /** The order as the payment platform states it. */
  readonly order?: { readonly totalCents: number; readonly eligibleCents: number; readonly statedAt: string };
  /** The ids of refunds that failed in the end. The merchant may report them, too. */
  readonly failedRefundIds: readonly string[];
  /** When the last event of the payment arrived. ISO 8601. */
  readonly receivedAt: string;
}

/** Everything that is stated about a purchase. */
export interface Statements {
  readonly order?: MerchantStatement;
  readonly claims: readonly ClaimStatement[];
  readonly redemptions: readonly RedemptionStatement[];
  readonly payments: readonly PaymentStatement[];
  /** The cents of the total that points paid. */
  readonly paidCents: number;
}

/** The reports from which {@link statementsOf} takes the statements. */
export interface Reports {
  readonly purchase: Purchase;
  readonly order: Order | undefined;
  /** Spent claims of the purchase, no transfers. */
  readonly claims: readonly AwardClaim[];
  /** Payments that may count: payments with a reason against them are left out. */
  readonly payments: readonly Payment[];
  /** The merchant's refunds, by the UUID of the order or of the claim's first transaction. */
  readonly refunds: ReadonlyMap<string, readonly MerchantRefund[]>;
}

/** Takes the statements from reports of a purchase. */
export function statementsOf({ purchase, order, claims, payments, refunds }: Reports): Statements {
  const refundsOf = (uuid: string) => refunds.get(uuid) ?? [];
  const statementOf = (claim: AwardClaim) => {
    const uuid = claim.rewards[0]?.uuid ?? '';
    const { campaignId, amountCents } = claim;
    return { uuid, campaignId, totalCents: amountCents, eligibleCents: amountCents, refunds: refundsOf(uuid) };
  };
  return {
    ...(order && {
      order: {
        uuid: order.uuid,
        totalCents: order.totalCents,
        eligibleCents: eligibleCents(order),
        refunds: refundsOf(order.uuid),
      },
    }),
    // The award of an order states what the order states.
    claims: claims
      .filter((claim) => isEarning(claim) && (claim.orderUuid === undefined || claim.orderUuid !== order?.uuid))
      .map((claim) => ({ ...statementOf(claim), isOfPayment: claim.orderUuid !== undefined })),
    redemptions: claims.filter(paysWithPoints).map(statementOf),
    payments: payments.map(toStatement),
    paidCents: paidCentsOf(purchase),
  };
}

function toStatement({ uuid, platform, account, book, updatedAt: receivedAt }: Payment): PaymentStatement {
  const { capturedAmount, eligibleAmount, refundedAmount, disputedAmount, currency } = paymentPosition(book);
  const order = book.order?.total.currency === (currency ?? 'USD') ? book.order : undefined;
  const failed = Object.entries(book.refunds).filter(([, { stage }]) => stage === 'failed');
  return {
    ...{
      uuid,
      account: `${platform}:${account}`,
      capturedCents: capturedAmount,
      eligibleCents: eligibleAmount,
      receivedAt,
    },
    returnedCents: Math.min(capturedAmount, refundedAmount + disputedAmount),
    failedCents: failedAmount(book),
    ...(order && {
      order: { totalCents: order.total.amount, eligibleCents: order.eligible, statedAt: order.statedAt },
    }),
    failedRefundIds: failed.map(([id]) => id),
  };
}
