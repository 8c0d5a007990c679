import type { InternalEvent } from '../../contracts/events.ts';
import { type AwardClaim, isEarning, rewardIdsOf } from '../../domain/award/claim.ts';
import { integerIdOf } from '../../domain/ids.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Refundable } from '../../domain/order/refund.ts';
import { areRefundsApplied, refundedUuidOf } from '../../domain/order/refund.ts';
import {
  earlierKeysOf,
  ownKeysOf,
  type Payment,
  type PaymentReason,
  purchaseIdOf,
  reasonAgainst,
} from '../../domain/payment/payment.ts';
import { newPurchase, type Purchase, type PurchaseKey, paysWithPoints } from '../../domain/purchase/purchase.ts';
import { statedText } from '../../domain/purchase/settle.ts';
import { type MerchantRefund, type Statements, statementsOf } from '../../domain/purchase/statements.ts';
import { AwardClaims } from '../../store/award/claims.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { SpendCounter } from '../../store/member/spend.ts';
import { Orders } from '../../store/order/orders.ts';
import { Refunds } from '../../store/order/refunds.ts';
import { PaymentAccounts } from '../../store/payment/payment-customers.ts';
import { Payments } from '../../store/payment/payments.ts';
import type { Deps } from '../operation.ts';
import { paymentModeOf } from '../payment/ingest-payment.ts';

/** Reads the book of a purchase: its head, and every report of it. */

export const loadBookStores = {
  partnerships: Partnerships,
  claims: AwardClaims,
  orders: Orders,
  payments: Payments,
  paymentAccounts: PaymentAccounts,
  refunds: Refunds,
  spend: SpendCounter,
  transactions: Transactions,
};
type BookDeps = Deps<typeof loadBookStores>;

/** The purchase that an event is about, and the report that the event announces: the head may not know it yet. */
export interface PurchaseReport {
  readonly key: PurchaseKey;
  readonly campaignIds?: readonly number[];
  readonly paymentUuid?: string;
}

/**
 * Finds the purchase of an event: of an order, a payment, or a transaction. Returns the claim instead if the transaction
 * is a transfer: a transfer buys nothing.
 *
 * @throws Error when there is no such order, payment or transaction
 */
export async function findReport(
  { name, entityId }: Pick<InternalEvent, 'name' | 'entityId'>,
  deps: BookDeps,
): Promise<PurchaseReport | AwardClaim> {
  if (name === 'payment_changed') {
    const payment = await deps.payments.find(entityId);
    if (!payment) throw new Error(`there is no payment ${entityId}`);
    return { key: keyOf(payment), paymentUuid: payment.uuid };
  }
  const order = name === 'purchase_changed' ? undefined : await deps.orders.find(entityId);
  if (order) return { key: { merchantId: order.merchantId, externalTransactionId: order.externalOrderId } };
  const id = integerIdOf(entityId);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  const externalTransactionId = transaction?.externalTransactionId;
  if (transaction?.uuid !== entityId || externalTransactionId == null) {
    throw new Error(`there is no order or purchase of ${entityId}`);
  }
  const { merchantId, campaignId, otherLegId } = transaction;
  const key = { merchantId, externalTransactionId };
  const claim = otherLegId === undefined ? undefined : await deps.claims.find({ ...key, campaignId });
  return claim ?? { key, campaignIds: [campaignId] };
}

const keyOf = (payment: Payment): PurchaseKey => ({
  merchantId: payment.merchantId,
  externalTransactionId: purchaseIdOf(payment),
});

/** Everything that is known of a purchase. */
export interface Book {
  /** The head as it is stored. */
  readonly stored: Purchase;
  /** The head with the claims and redemptions that were found. */
  readonly purchase: Purchase;
  readonly order: Order | undefined;
  /** The payments of the purchase, the oldest first, with the reasons why some of them cannot count. */
  readonly payments: readonly { readonly payment: Payment; readonly reason: PaymentReason | undefined }[];
  /** Spent claims, those of tokens first, then the oldest first. */
  readonly claims: readonly AwardClaim[];
  /** The transactions of the claims, and further awards. */
  readonly transactions: readonly RewardTransaction[];
  /** The statements, with the merchant's refunds of each report as one sum. */
  readonly statements: Statements;
  /** Reads the single refunds: a list that may be long, and that a settled purchase does not need. */
  readonly withRefunds: () => Promise<Statements>;
  /** The statements as one text. */
  readonly stated: string;
  /** Whether an earlier run settled the purchase for the same statements. */
  readonly isUnchanged: boolean;
  /** The keys under which payments of the purchase have books of their own, which have to join this one. */
  readonly joining: readonly string[];
}

/**
 * Reads the book. The head is read first: a run that reads older reports than another run has also read an older head, so
 * its writes fail.
 */
export async function loadBook(
  { key: named, campaignIds: announced = [], paymentUuid }: PurchaseReport,
  deps: BookDeps,
): Promise<Book> {
  const found = await findHead(named, deps);
  const key = { merchantId: found.merchantId, externalTransactionId: found.externalTransactionId };
  const orderKey = { merchantId: key.merchantId, externalOrderId: key.externalTransactionId };
  const [order, listed, own, approved] = await Promise.all([
    deps.orders.findByExternalId(orderKey),
    deps.payments.findOfOrder(orderKey),
    deps.payments.findAll([...found.paymentUuids, ...(paymentUuid === undefined ? [] : [paymentUuid])]),
    isOfEarlierForm(found) ? approvedCampaigns(key.merchantId, deps) : [],
  ]);
  const moved = own.find((payment) => hasLeft(payment, key.externalTransactionId));
  // The payment names its order by now: its own purchase is settled as a part of the order's.
  if (moved) return loadBook({ key: keyOf(moved), paymentUuid: moved.uuid }, deps);
  const recorded = await deps.transactions.findAll([
    ...new Set([found, order, ...listed, ...own].flatMap((one) => one?.transactionIds ?? [])),
  ]);
  const campaignIds = [
    ...[...(found.campaignIds ?? []), ...approved, ...recorded.map((one) => one.campaignId)],
    ...announced,
  ];
  const ids = [key.externalTransactionId, ...found.aliases, named.externalTransactionId];
  const spent = await findSpent(campaignIds, { merchantId: key.merchantId, ids: [...new Set(ids)] }, deps);
  const claimed = await deps.payments.findAll(
    spent.flatMap(({ orderUuid }) => (orderUuid === undefined || orderUuid === order?.uuid ? [] : [orderUuid])),
  );
  const payments = distinct([...listed, ...own, ...claimed]).filter(
    (payment) => purchaseIdOf(payment) === key.externalTransactionId,
  );
  const known = new Set(recorded.map(({ id }) => id));
  const [others, judged] = await Promise.all([
    deps.transactions.findAll([...new Set(spent.flatMap(rewardIdsOf))].filter((id) => !known.has(id))),
    Promise.all(payments.map((payment) => judge(payment, deps))),
  ]);
  const transactions = [...recorded, ...others].filter(({ otherLegId }) => otherLegId === undefined);
  const claims = spent.toSorted(byPromise);
  const programId = claims.find(isEarning)?.partnerId ?? found.programId;
  const spentIds = [...new Set(spent.map((claim) => claim.campaignId))].toSorted((a, b) => a - b);
  const purchase = withPaid(
    { ...found, campaignIds: spentIds, ...(programId !== undefined && { programId }) },
    { claims, transactions },
  );
  const reports = {
    ...{ purchase, order, claims: spent },
    payments: judged.filter(({ reason }) => reason === undefined).map(({ payment }) => payment),
  };
  const refunded = [...(order ? [order] : []), ...spent].filter(({ refundedCents = 0 }) => refundedCents > 0);
  const statements = statementsOf({ ...reports, refunds: sumsOf(refunded) });
  const stated = statedText(statements);
  const isUnchanged = found.isSettled === true && found.stated === stated && refunded.every(areRefundsApplied);
  return {
    ...{ stored: found, purchase, order, transactions, payments: judged, statements, stated, isUnchanged },
    claims,
    joining: await findJoining(payments, found, deps),
    withRefunds: async () => statementsOf({ ...reports, refunds: await loadRefunds(refunded, deps) }),
  };
}

/** Whether a purchase of its own is no longer the purchase of a payment. */
const hasLeft = (payment: Payment, id: string): boolean =>
  purchaseIdOf(payment) !== id && ownKeysOf(payment).includes(id);

/**
 * The keys under which payments were settled before they named their order. A run that ended early may have written an
 * award that its payment does not list, so the head of the payment's own purchase decides.
 */
async function findJoining(
  payments: readonly Payment[],
  { merchantId, externalTransactionId, aliases }: Purchase,
  { spend }: BookDeps,
): Promise<string[]> {
  const isNew = (id: string) => id !== externalTransactionId && !aliases.includes(id);
  const own = payments.flatMap(ownKeysOf).filter(isNew);
  const heads = await spend.findAll(own.map((id) => ({ merchantId, externalTransactionId: id })));
  const found = heads.map((head) => head.externalTransactionId).toSorted();
  return [...new Set([...payments.flatMap(earlierKeysOf).filter(isNew), ...found])];
}

/** The refunds of each report as one sum. */
const sumsOf = (refunded: readonly Refundable[]): Map<string, MerchantRefund[]> =>
  new Map(
    refunded.map((of) => {
      const uuid = refundedUuidOf(of);
      return [uuid, [{ uuid, id: '', amountCents: of.refundedCents ?? 0, receivedAt: '' }]];
    }),
  );

/** The head of a purchase. If it became part of another purchase, the head of the other one. */
async function findHead(key: PurchaseKey, { spend }: BookDeps): Promise<Purchase> {
  const found = (await spend.find(key)) ?? newPurchase(key);
  if (found.aliasOf === undefined) return found;
  const { merchantId, aliasOf: externalTransactionId } = found;
  return findHead({ merchantId, externalTransactionId }, { spend } as BookDeps);
}

/** Whether an earlier release wrote the head: it did not collect the campaigns of claims. */
export const isOfEarlierForm = ({ revision, campaignIds }: Purchase) => revision > 0 && campaignIds === undefined;

/** Includes ended campaigns: a purchase may change a year after its campaign ended. */
const approvedCampaigns = (merchantId: number, { partnerships }: BookDeps) =>
  partnerships.campaignIdsOf('byMerchant', merchantId);

async function findSpent(
  campaignIds: readonly number[],
  { merchantId, ids }: { readonly merchantId: number; readonly ids: readonly string[] },
  { claims }: BookDeps,
): Promise<AwardClaim[]> {
  const found = await Promise.all(
    ids.map((externalTransactionId) => claims.findUnder(campaignIds, { merchantId, externalTransactionId })),
  );
  return found.flat().filter(({ state, isTransfer }) => state === 'SPENT' && !isTransfer);
}

const distinct = (payments: readonly Payment[]): Payment[] =>
  [...new Map(payments.map((payment) => [payment.uuid, payment])).values()].toSorted((one, other) =>
    one.uuid < other.uuid ? -1 : 1,
  );

/** The awards of tokens were promised in a reply, so they are kept before others. Equally old ones have one order, too. */
const byPromise = (one: AwardClaim, other: AwardClaim) =>
  Number(one.orderUuid !== undefined) - Number(other.orderUuid !== undefined) ||
  Date.parse(one.issuedAt) - Date.parse(other.issuedAt) ||
  (rewardIdsOf(one)[0] ?? 0) - (rewardIdsOf(other)[0] ?? 0);

/** Adds what completed redemptions paid to the head, where endpoint 1 and orders read it. */
function withPaid(purchase: Purchase, { claims, transactions }: Pick<Book, 'claims' | 'transactions'>): Purchase {
  const states = new Map(transactions.map(({ id, state }) => [id, state]));
  const isDone = (claim: AwardClaim) =>
    rewardIdsOf(claim).some((id) => ['COMPLETED', 'REVERSED'].includes(states.get(id) ?? ''));
  const paid = claims
    .filter((claim) => paysWithPoints(claim) && isDone(claim))
    .map(({ amountCents, rewards }) => {
      const uuid = rewards.find(({ type }) => type === 'REDEEM')?.uuid ?? '';
      return [uuid, amountCents] as const;
    });
  return paid.length === 0 ? purchase : { ...purchase, paid: { ...purchase.paid, ...Object.fromEntries(paid) } };
}

async function loadRefunds(
  refunded: readonly Refundable[],
  { refunds }: BookDeps,
): Promise<Map<string, MerchantRefund[]>> {
  const found = await Promise.all(refunded.map((of) => refunds.findWith(of)));
  return new Map(
    found.flatMap((one) =>
      one
        ? [
            [
              refundedUuidOf(one.of),
              one.refunds.map(({ externalRefundId: id, amountCents, createdAt: receivedAt, uuid }) => {
                return { id, uuid, amountCents, receivedAt };
              }),
            ] as const,
          ]
        : [],
    ),
  );
}

/** The reasons for which a payment neither earns nor returns anything. The others are results of its amounts. */
const excluding: ReadonlySet<PaymentReason> = new Set<PaymentReason>([
  'too_many_entries',
  'captured_in_two_currencies',
  'currency_without_rate',
  'amount_too_large',
  'paid_before_connection',
]);

async function judge(payment: Payment, deps: BookDeps) {
  const account = await deps.paymentAccounts.findCached(payment);
  if (!account) throw new Error(`there is no ${payment.platform} account ${payment.account}`);
  const reason = reasonAgainst(payment, { mode: paymentModeOf(deps.config.stage), account });
  return { payment, reason: reason !== undefined && excluding.has(reason) ? reason : undefined };
}
