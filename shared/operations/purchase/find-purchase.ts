import type { AwardClaim } from '../../domain/award/claim.ts';
import type { RefusedAttempt } from '../../domain/award/refusal.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { type PaymentPosition, paymentPosition } from '../../domain/payment/payment-position.ts';
import { paidCentsOf } from '../../domain/purchase/purchase.ts';
import { type PurchaseKey, RefusedAttempts } from '../../store/award/refused-attempts.ts';
import { SpendCounter } from '../../store/member/spend.ts';
import { Payments } from '../../store/payment/payments.ts';
import { NotFoundError } from '../errors.ts';
import type { Deps } from '../operation.ts';
import { findRewards, getOrderStores, type OrderWithRewards, type RewardsOfPurchase } from '../order/get-order.ts';
import {
  findOrganisationOfKind,
  findOrganisationStores,
  organisationSubject,
} from '../organisation/find-organisation.ts';
import { loadTimeZone } from '../partnership/load-time-zone.ts';

export const findPurchaseStores = {
  ...findOrganisationStores,
  ...getOrderStores,
  refusedAttempts: RefusedAttempts,
  spend: SpendCounter,
  payments: Payments,
};
export type FindPurchaseDeps = Deps<typeof findPurchaseStores>;

/** A payment of a purchase, with the amounts that follow from its events. */
interface PaymentOfPurchase {
  readonly payment: Payment;
  readonly position: PaymentPosition;
}

/** Everything that the platform knows of one purchase. The merchant's own id of the order identifies the purchase. */
export interface Purchase extends PurchaseKey, RewardsOfPurchase {
  /** The external order, if the merchant registered one. */
  readonly order: OrderWithRewards['order'] | undefined;
  /** The cents of the total that points have paid. */
  readonly paidCents: number;
  /** The cents of the purchase that the member's spend totals contain. */
  readonly countedCents: number;
  /** The refunds of the order, or of the tokens if there is no order. */
  readonly refunds: OrderWithRewards['refunds'];
  /** Refused requests of endpoint 1 that are still kept (`retentionMs.refusedAttempt`), the latest first. */
  readonly attempts: readonly RefusedAttempt[];
  /** Payments that name the order, and payments that a claim names; the oldest first. */
  readonly payments: readonly PaymentOfPurchase[];
}

/**
 * Finds a purchase by the merchant's own id of the order: the order, tokens, payments and refused requests. Returns
 * undefined when nothing has this id.
 */
export async function findPurchase(key: PurchaseKey, deps: FindPurchaseDeps): Promise<Purchase | undefined> {
  const { merchantId, externalTransactionId } = key;
  const orderKey = { merchantId, externalOrderId: externalTransactionId };
  const [order, counted, attempts, named] = await Promise.all([
    deps.orders.findByExternalId(orderKey),
    deps.spend.find(key),
    deps.refusedAttempts.of(key),
    deps.payments.findOfOrder(orderKey),
  ]);
  const rewards = await findRewards({ ...key, transactionIds: order?.transactionIds }, deps);
  const [payments, withRefunds] = await Promise.all([
    findPayments(named, rewards.claims, deps),
    Promise.all(
      [...(order ? [order] : rewards.claims)]
        .filter(({ refundedCents = 0 }) => refundedCents > 0)
        .map((refunded) => deps.refunds.findWith(refunded)),
    ),
  ]);
  const refunds = withRefunds.flatMap((one) => one?.refunds ?? []);
  const isKnown = order !== undefined || [rewards.claims, attempts, payments].some(({ length }) => length > 0);
  if (!isKnown) return undefined;
  const paidCents = counted ? paidCentsOf(counted) : 0;
  const countedCents = counted?.countedCents ?? 0;
  return { merchantId, externalTransactionId, order, paidCents, countedCents, attempts, payments, refunds, ...rewards };
}

/** A purchase with the name of its merchant, and the time zone in which its times are shown. */
export interface NamedPurchase {
  readonly purchase: Purchase;
  readonly merchantName: string;
  readonly timeZone: string;
}

/** The merchant's own id of an order, and the merchant. */
export interface PurchaseReference {
  readonly id: string;
  /** Id or exact name of the merchant. */
  readonly merchant: string;
}

/**
 * Loads a purchase by the merchant's own id of the order.
 *
 * @throws NotFoundError when the platform has no order, token, payment or refused request with this id
 */
export async function loadPurchase(
  { id, merchant: text }: PurchaseReference,
  deps: FindPurchaseDeps,
): Promise<NamedPurchase> {
  const merchant = await findOrganisationOfKind(text, 'MERCHANT', deps);
  const purchase = await findPurchase({ merchantId: merchant.id, externalTransactionId: id }, deps);
  if (purchase) {
    const timeZone = await loadTimeZone([{ merchantId: merchant.id }], deps);
    return { purchase, merchantName: merchant.name, timeZone };
  }
  throw new NotFoundError({ kind: 'order', id }, { within: organisationSubject(merchant) });
}

/** The payments that name the order, and the payments that a claim names. */
async function findPayments(
  named: readonly Payment[],
  claims: readonly AwardClaim[],
  { payments }: FindPurchaseDeps,
): Promise<PaymentOfPurchase[]> {
  const claimed = await payments.findAll(
    claims.flatMap(({ orderUuid }) => (orderUuid === undefined ? [] : [orderUuid])),
  );
  const distinct = [...new Map([...named, ...claimed].map((payment) => [payment.uuid, payment])).values()];
  return distinct
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1))
    .map((payment) => ({ payment, position: paymentPosition(payment.book) }));
}
