import { isDeepStrictEqual } from 'node:util';
import type { InternalEvent } from '../contracts/events.ts';
import { maximumCount } from '../contracts/limits.ts';
import { type AwardClaim, paymentUuidsOf, rewardIdsOf } from '../domain/award/claim.ts';
import { decideAwards } from '../domain/award/decide-awards.ts';
import { isRunning } from '../domain/campaign/document/campaign.ts';
import type { RefundedAmount } from '../domain/campaign/evaluation/reward.ts';
import { plainError } from '../domain/errors.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import { isStillCustomer } from '../domain/member/member.ts';
import { type Refund, type Refundable, refundableCentsOf } from '../domain/order/refund.ts';
import { absorbedShare, paidCentsOf, sourceOfPayment, withReturned } from '../domain/order/spend.ts';
import {
  countingTime,
  goneOfOrder,
  isClaimable,
  isPayment,
  netOfAwards,
  nextAward,
  type Payment,
  type PaymentAccount,
  type PaymentReason,
  reasonAgainst,
  returnedShareOf,
  withAward,
  withAwardDone,
  withReason,
  withSpend,
} from '../domain/payment/payment.ts';
import { type MerchantRefunds, type PaymentPosition, paymentPosition } from '../domain/payment/payment-position.ts';
import { adjustReward, type PaymentLeft, withWaitingPayment } from '../domain/reversal/adjustment.ts';
import { decideOnRefund } from '../domain/reversal/reversal.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { TransactionConflictError } from '../store/ledger/transactions.ts';
import { SpendCounter } from '../store/member/spend.ts';
import { Orders } from '../store/order/orders.ts';
import { Refunds } from '../store/order/refunds.ts';
import { PaymentAccounts, PaymentCustomers, type UnclaimedReference } from '../store/payment/payment-customers.ts';
import { Payments, paymentWrite } from '../store/payment/payments.ts';
import { ConditionFailedError } from '../store/table/table-client.ts';
import { awardEvent, awardEventStores, findKnownPurchase, loadEarner } from './award-event.ts';
import { paymentModeOf } from './ingest-payment.ts';
import { type Deps, decideAndWrite } from './operation.ts';
import { findSpentClaims, loadTerms } from './process-refund.ts';

export const processPaymentStores = {
  ...awardEventStores,
  orders: Orders,
  payments: Payments,
  paymentAccounts: PaymentAccounts,
  paymentCustomers: PaymentCustomers,
  refunds: Refunds,
  reversals: Reversals,
  spend: SpendCounter,
};
type PaymentDeps = Deps<typeof processPaymentStores>;

/**
 * Awards a payment, and reverses or restores its rewards as far as refunds and disputes require. Every decision reads
 * the present payment book, and not the event that announced the payment. So the number and the sequence of these
 * events make no difference.
 *
 * Safe to repeat: a repeated call continues where an earlier run ended.
 *
 * @throws Error when the payment is not found, or a token for its order may still be spent
 * @throws ContentionError when other writers keep changing the payment; a retry may work
 */
export function processPayment({ entityId }: Pick<InternalEvent, 'entityId'>, deps: PaymentDeps): Promise<void> {
  return decideAndWrite(
    {
      subject: `payment ${entityId}`,
      load: () => loadPayment(entityId, deps),
      write: (loaded) => applyPayment(loaded, deps),
      conflicts: [ConditionFailedError, TransactionConflictError, LinkedMeanwhileError, ChangedMeanwhileError],
    },
    deps,
  );
}

/**
 * The customer was linked while the payment was stored as a payment without a member. The decision has to be made
 * again.
 */
class LinkedMeanwhileError extends plainError(
  'LinkedMeanwhileError',
  'the customer of the payment was linked meanwhile',
) {}

/** Refunds of the order changed while the rewards were adjusted. The decision has to be made again. */
class ChangedMeanwhileError extends plainError('ChangedMeanwhileError', 'the refunds of the order changed meanwhile') {}

interface LoadedPayment {
  readonly payment: Payment;
  readonly account: PaymentAccount;
}

async function loadPayment(uuid: string, deps: PaymentDeps): Promise<LoadedPayment> {
  const payment = await deps.payments.find(uuid);
  if (!payment) throw new Error(`there is no payment ${uuid}`);
  const account = await deps.paymentAccounts.findCached(payment);
  if (!account) throw new Error(`there is no ${payment.platform} account ${payment.account}`);
  return { payment, account };
}

async function applyPayment({ payment, account }: LoadedPayment, deps: PaymentDeps): Promise<void> {
  const mode = paymentModeOf(deps.config.stage);
  const reason = reasonAgainst(payment, { mode, account });
  if (payment.awards.length === 0 && reason) {
    await recordReason(payment, reason, [], deps);
    return recordReturned(payment, deps);
  }
  const awarded = reason === undefined ? await awardRest(payment, deps) : payment;
  await recordReturned(awarded, deps);
  await adjustAwards(awarded, deps);
}

/** Records the returned part of a payment in its purchase: returned money is no spend of the member. */
async function recordReturned(payment: Payment, { spend }: PaymentDeps): Promise<void> {
  const { merchantId, uuid, formerUuids, spent, revision } = payment;
  const share = returnedShareOf(payment);
  if (!share || !spent) return;
  // Other payments may have become part of this payment. The share of this payment already contains their shares.
  await spend.settle({ merchantId, externalTransactionId: spent.externalTransactionId }, (purchase) =>
    formerUuids.reduce(
      (changed, former) => withReturned(changed, sourceOfPayment(former), absorbedShare),
      withReturned(purchase, sourceOfPayment(uuid), { ...share, revision }),
    ),
  );
}

/** Stores the reason why a payment earns nothing, unless it is stored already. */
async function recordReason(
  payment: Payment,
  reason: PaymentReason,
  references: readonly UnclaimedReference[],
  deps: PaymentDeps,
): Promise<Payment> {
  if (payment.reason === reason && references.length === 0) return payment;
  return deps.payments.save(withReason(payment, reason, deps.now()), references);
}

/**
 * Finishes the award that an earlier run began, and awards the rest of the eligible amount. Returns the changed
 * payment.
 */
async function awardRest(payment: Payment, deps: PaymentDeps): Promise<Payment> {
  const mode = paymentModeOf(deps.config.stage);
  const first = nextAward(payment, mode);
  if (!first) return payment;
  const { merchantId } = payment;
  // Later captures have their own awards but belong to the same purchase, so they earn in the program of the first
  // capture.
  const { externalTransactionId } = payment.awards[0] ?? first.award;
  const known = await findKnownPurchase({ merchantId, externalTransactionId }, first.request.event.at, deps);
  const next = nextAward(payment, mode, known) ?? first;
  const userId = await findUserId(payment, deps);
  if (typeof userId === 'string') return keepUnclaimed(payment, userId, deps);

  const isLateClaim = isClaimable(payment.reason);
  const loadOwnEarner = async (at: Date) => {
    const earner = await loadEarner({ userId, merchantId }, at, deps);
    if (!isLateClaim) return earner;
    // When a link claims the payment late, a campaign rewards it only if the campaign is still running.
    return { ...earner, campaigns: earner.campaigns.filter((campaign) => isRunning(campaign, deps.now())) };
  };
  const countsAt = countingTime(payment, mode);
  const record = withAward(payment, next.award, userId, countsAt);
  const awarded = await awardEvent(
    {
      ...next.request,
      loadEarner: loadOwnEarner,
      record,
      writesFor: (changed) => [paymentWrite(changed)],
    },
    deps,
  );
  const isResumed = payment.awards.includes(next.award);
  if (isResumed || awarded.record.transactionIds.length > payment.transactionIds.length) {
    await linkCustomers(payment, userId, deps);
    return awardRest(await deps.payments.save(withAwardDone(awarded.record)), deps);
  }
  const { rejection } = awarded;
  // A later link finds the payment by the member, and by the ids that the merchant uses for the customer: a customer
  // without an account may be linked to another member later.
  const references = [{ kind: 'user', userId } as const, ...externalReferencesOf(payment)];
  // The spend counts for this member only if the reason is final. Otherwise a later link may give the payment to
  // another member.
  if (!isClaimable(rejection)) {
    return recordReason(withSpend(payment, next.award, userId, countsAt), rejection, [], deps);
  }
  const kept = await recordReason(payment, rejection, references, deps);
  const { event } = next.request;
  // A link that was made after the decision and before this write has missed the payment, so the decision is checked
  // again.
  if (decideAwards(await loadOwnEarner(event.at), event).rejection !== rejection) {
    throw new LinkedMeanwhileError();
  }
  return kept;
}

/**
 * Adjusts the rewards of a payment, and the points that paid for it, to the amount that is left after refunds and
 * disputes. After the first refund or dispute that the platform reports, the payment also counts the refunds that the
 * merchant reports.
 *
 * @throws Error while a token for the payment may still be spent
 */
async function adjustAwards(payment: Payment, deps: PaymentDeps): Promise<void> {
  const { refundedAmount, disputedAmount, netEligibleAmount } = paymentPosition(payment.book);
  const isReturned = refundedAmount + disputedAmount > 0;
  // No transaction was adjusted before, and none has to be adjusted now.
  if (!payment.countsAllRefunds && !isReturned && netEligibleAmount === payment.netCents) return;

  // The payment is saved before a claim is assigned to it. Once a claim is assigned, only the payment applies the
  // merchant's refunds.
  const counting = payment.countsAllRefunds
    ? payment
    : await deps.payments.save({ ...payment, countsAllRefunds: true });
  const found = await Promise.all(counting.awards.map((award) => loadAward(award, counting, deps)));
  const position = paymentPosition(
    counting.book,
    found.flatMap(({ refunds }) => refunds),
  );
  let isDone = true;
  for (const { id, left } of rewardsOf(counting, position, found)) {
    const adjusted = await adjustTransaction(await loadTransaction(id, deps), left, deps);
    if (adjusted === 'waits') isDone = false;
  }
  for (const { shared } of found) if (!(await adjustShared(shared, counting, deps))) isDone = false;
  if (isDone && counting.netCents !== position.netEligibleAmount) {
    await deps.payments.save({ ...counting, netCents: position.netEligibleAmount });
  }
}

/** One award's claims that belong to the payment, and the refunds that the payment counts for them. */
interface LoadedAward {
  /** Claims that some payment earned, assigned to this payment. No other payment counts their refunds. */
  readonly claims: readonly AwardClaim[];
  /** Claims that an order or a token earned. All payments of the order count their refunds together. */
  readonly shared: readonly AwardClaim[];
  readonly refunds: readonly ReportedRefunds[];
}

/** The merchant's refunds of an order, or of a token's transactions. */
interface ReportedRefunds extends MerchantRefunds {
  /** When the last of these refunds arrived. ISO 8601. */
  readonly receivedAt: string;
}

async function loadAward(
  { externalTransactionId }: Payment['awards'][number],
  payment: Payment,
  deps: PaymentDeps,
): Promise<LoadedAward> {
  const { merchantId, uuid } = payment;
  const since = new Date(payment.updatedAt);
  const [spent, order] = await Promise.all([
    findSpentClaims({ merchantId, externalTransactionId, since }, deps),
    deps.orders.findByExternalId({ merchantId, externalOrderId: externalTransactionId }),
  ]);
  const earners = await Promise.all(spent.map((claim) => findEarner(claim, payment, deps)));
  const isOfAnother = (earner: Payment | undefined) =>
    earner !== undefined &&
    earner !== payment &&
    earner.platform === payment.platform &&
    earner.account === payment.account;
  if (earners.every(isOfAnother)) return { claims: [], shared: [], refunds: [] };
  const shared = await addPayment(
    spent.filter((_, position) => earners[position] === undefined),
    payment,
    deps,
  );
  const earned = spent.filter((_, position) => earners[position] !== undefined);
  const owners = await Promise.all(earned.map((claim) => deps.claims.assignPayment(claim, uuid)));
  const claims = earned.filter((_, position) => isPayment(payment, owners[position]));
  // A claim that a payment earned is assigned to the first payment that refunds it. Only that payment counts the
  // merchant's refunds.
  const counted = [...claims, ...shared];
  const refundable = counted.length === 0 ? [] : [...(order ? [order] : []), ...counted];
  const refunds = await Promise.all(refundable.map((of) => loadRefunds(of, deps)));
  return { claims, shared, refunds: refunds.flat() };
}

/**
 * Returns the payment that earned a claim; undefined when an order or a token earned it. Another payment of the same
 * account as `payment` is different money, so refunds of `payment` do not change the claim's reward. A payment of
 * another platform may report the same money as `payment`, so refunds of `payment` do change the claim's reward.
 */
async function findEarner({ orderUuid }: AwardClaim, payment: Payment, { payments }: PaymentDeps) {
  if (orderUuid === undefined) return undefined;
  return isPayment(payment, orderUuid) ? payment : payments.find(orderUuid);
}

/** Adds a payment to the payments of claims. Returns the claims that have the payment. */
async function addPayment(spent: readonly AwardClaim[], payment: Payment, deps: PaymentDeps): Promise<AwardClaim[]> {
  const isKnown = (claim: AwardClaim) => paymentUuidsOf(claim).some((uuid) => isPayment(payment, uuid));
  const counted = spent.filter(
    (claim) => isKnown(claim) || paymentUuidsOf(claim).length < maximumCount.paymentsTogether,
  );
  if (counted.length < spent.length) deps.log.error('payment.too_many_of_order', { payment: payment.uuid });
  await Promise.all(
    counted.filter((claim) => !isKnown(claim)).map((claim) => deps.claims.addPayment(claim, payment.uuid)),
  );
  return counted;
}

/** The refunded part of an order, or of the purchase of a token. */
interface Gone {
  /** For rewards, the refunded part of the money. For payments with points, the refunded part of money and points. */
  readonly amounts: Readonly<Record<RewardTransaction['type'], RefundedAmount>>;
  /** The time of the latest change: the arrival of a refund, or a change of a payment. ISO 8601. */
  readonly receivedAt: string;
}

/**
 * Reads the current refunds, disputes and failed captures of all payments of the claims, and the refunds that the
 * merchant reported.
 */
async function loadGone(shared: readonly AwardClaim[], payment: Payment, deps: PaymentDeps): Promise<Gone> {
  const { merchantId } = payment;
  const [externalOrderId = ''] = shared.map(({ externalTransactionId }) => externalTransactionId);
  const [order, purchase, ...found] = await Promise.all([
    deps.orders.findByExternalId({ merchantId, externalOrderId }),
    deps.spend.find({ merchantId, externalTransactionId: externalOrderId }),
    ...shared.map((claim) => deps.claims.find(claim)),
  ]);
  const claims = found.filter((claim) => claim !== undefined);
  const uuids = new Set(claims.flatMap(paymentUuidsOf));
  const refundable = [...(order ? [order] : []), ...claims];
  const [payments, refunds] = await Promise.all([
    Promise.all([...uuids].map((uuid) => deps.payments.find(uuid))),
    Promise.all(refundable.map((of) => loadRefunds(of, deps))),
  ]);
  // A payment that became part of another payment is found as that payment.
  const distinct = [...new Map(payments.flatMap((one) => (one ? [[one.uuid, one] as const] : []))).values()];
  const reported = refunds.flat();
  const totalCents = Math.max(...(order ? [order] : claims).map(refundableCentsOf));
  const arrivals = [...distinct.map(({ updatedAt }) => updatedAt), ...reported.map(({ receivedAt }) => receivedAt)];
  const goneOf = (paidCents: number) => goneOfOrder(distinct, { totalCents, paidCents, reported });
  return {
    amounts: { EARN: goneOf(purchase ? paidCentsOf(purchase) : 0), REDEEM: goneOf(0) },
    receivedAt: arrivals.toSorted().at(-1) ?? payment.updatedAt,
  };
}

/**
 * Adjusts the rewards of an order, or of a token, to the amount that is left of all payments together.
 *
 * The payments are read after the transactions. So when two runs write the same transaction, the write of the run that
 * read older payments fails. But a run that read newer payments may have nothing to write, and then the outdated write
 * of the other run succeeds. Therefore a run that changed something reads the payments once more.
 *
 * @returns false while the program has not answered for a transaction
 * @throws ChangedMeanwhileError when the refunded amount changed before the write
 */
async function adjustShared(shared: readonly AwardClaim[], payment: Payment, deps: PaymentDeps): Promise<boolean> {
  if (shared.length === 0) return true;
  const originals = await Promise.all(shared.flatMap(rewardIdsOf).map((id) => loadTransaction(id, deps)));
  const { amounts, receivedAt } = await loadGone(shared, payment, deps);
  const adjusted: Adjusted[] = [];
  for (const original of originals) {
    const amount = amounts[original.type];
    const left = { paymentUuid: payment.uuid, receivedAt, amount, returnedCents: amount.refundedCents };
    adjusted.push(await adjustTransaction(original, left, deps));
  }
  if (adjusted.includes('changed')) {
    const now = await loadGone(shared, payment, deps);
    if (!isDeepStrictEqual(now.amounts, amounts)) throw new ChangedMeanwhileError();
  }
  return !adjusted.includes('waits');
}

async function loadRefunds(of: Refundable, { refunds }: PaymentDeps): Promise<ReportedRefunds[]> {
  const found = (of.refundedCents ?? 0) > 0 ? await refunds.findWith(of) : undefined;
  const last = found?.refunds.at(-1);
  if (!found || !last) return [];
  const toReported = ({ externalRefundId: id, amountCents }: Refund) => ({ id, amountCents });
  return [{ totalCents: refundableCentsOf(of), refunds: found.refunds.map(toReported), receivedAt: last.createdAt }];
}

/** Returns the transactions of a payment's awards, each with the amount that is left. */
function rewardsOf(payment: Payment, position: PaymentPosition, found: readonly LoadedAward[]) {
  const { capturedAmount, refundedAmount, disputedAmount } = position;
  const returnedCents = Math.min(capturedAmount, refundedAmount + disputedAmount);
  const arrivals = found.flatMap(({ refunds }) => refunds.map(({ receivedAt }) => receivedAt));
  const receivedAt = [payment.updatedAt, ...arrivals].toSorted().at(-1) ?? payment.updatedAt;
  return netOfAwards(payment, position).flatMap(({ eligibleCents, netCents }, award) =>
    (found[award]?.claims ?? []).flatMap((claim) => {
      // If this payment earned the claim, the claim is adjusted by the award's share of the payment. If a payment of
      // another platform earned it, the claim is adjusted by this payment as a whole, because the other platform
      // reports its own amounts.
      const amount = isPayment(payment, claim.orderUuid)
        ? { capturedCents: eligibleCents, refundedCents: eligibleCents - netCents }
        : { capturedCents: capturedAmount, refundedCents: returnedCents };
      const left: PaymentLeft = { paymentUuid: payment.uuid, receivedAt, amount, returnedCents };
      return rewardIdsOf(claim).map((id) => ({ id, left }));
    }),
  );
}

async function loadTransaction(id: number, { transactions }: PaymentDeps): Promise<RewardTransaction> {
  const found = await transactions.find(id);
  if (!found) throw new Error(`there is no transaction ${id}`);
  return found;
}

/**
 * The result of an adjustment. `waits`: the program has not answered for the transaction; its answer announces the
 * payment again.
 */
type Adjusted = 'changed' | 'unchanged' | 'waits';

async function adjustTransaction(original: RewardTransaction, left: PaymentLeft, deps: PaymentDeps): Promise<Adjusted> {
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  switch (decideOnRefund(original.state)) {
    case 'nothing':
      return 'unchanged';
    case 'wait':
      break;
    case 'reverse': {
      const adjusted = adjustReward(
        { ...(await loadTerms(original, deps)), original, left },
        context.now,
        deps.nextIds,
      );
      if (adjusted === undefined) return 'unchanged';
      if (adjusted === 'wait') break;
      await deps.reversals.adjust(adjusted, context);
      return 'changed';
    }
  }
  await deps.reversals.wait([{ original, refunds: withWaitingPayment(original, left) }], context);
  return 'waits';
}

/**
 * Finds the member of a payment: by its order, by the id that the merchant uses for the customer, or by the id that the
 * payment platform uses for the customer, if a user is linked to that id.
 *
 * @returns the user's id, or the reason when there is no user or more than one
 */
async function findUserId(
  payment: Payment,
  { members, orders, paymentCustomers }: PaymentDeps,
): Promise<number | 'no_member' | 'several_members'> {
  if (payment.userId !== undefined) return payment.userId;
  const { merchantId, platform, account, book } = payment;
  const found = await Promise.all([
    ...book.merchantExternalIds.map((externalId) => members.findUserId(merchantId, externalId)),
    ...book.platformCustomerIds.map(async (customerId) => {
      const link = await paymentCustomers.find({ platform, account, customerId });
      const association = link && (await members.findAssociation(link.userId, merchantId));
      return link && isStillCustomer(association, link.linkedAt) ? link.userId : undefined;
    }),
    ...book.orderExternalIds.map(async (externalOrderId) => {
      return (await orders.findByExternalId({ merchantId, externalOrderId }))?.userId;
    }),
  ]);
  const [userId, ...others] = new Set(found.filter((one) => one !== undefined));
  if (userId === undefined) return 'no_member';
  return others.length > 0 ? 'several_members' : userId;
}

/** Stores a payment without a member, so that a later link of its customer finds the payment. */
async function keepUnclaimed(
  payment: Payment,
  reason: 'no_member' | 'several_members',
  deps: PaymentDeps,
): Promise<Payment> {
  const references = reason === 'no_member' ? referencesOf(payment) : [];
  const kept = await recordReason(payment, reason, references, deps);
  // A link that was made after the look-up and before this write has missed the payment, so the look-up is repeated.
  if (reason === 'no_member' && (await findUserId(payment, deps)) !== reason) throw new LinkedMeanwhileError();
  return kept;
}

const externalReferencesOf = ({ book }: Payment): UnclaimedReference[] =>
  book.merchantExternalIds.map((externalId) => ({ kind: 'external', externalId }));

function referencesOf(payment: Payment): UnclaimedReference[] {
  const { platform, account, book } = payment;
  return [
    ...book.platformCustomerIds.map((customerId) => {
      return { kind: 'customer', customer: { platform, account, customerId } } as const;
    }),
    ...externalReferencesOf(payment),
  ];
}

/**
 * Links the customer of an awarded payment to the member, under each id that the payment platform uses for the
 * customer. So this member is also found for a later payment that contains only such an id.
 */
async function linkCustomers({ platform, account, book }: Payment, userId: number, deps: PaymentDeps): Promise<void> {
  const link = { userId, linkedBy: 'payment' as const, linkedAt: deps.now().toISOString() };
  for (const customerId of book.platformCustomerIds) {
    await deps.paymentCustomers.linkNew({ platform, account, customerId }, link);
  }
}
