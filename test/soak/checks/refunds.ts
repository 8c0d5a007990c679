import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { PlacedOrder } from '../story.ts';
import {
  type Check,
  type Decision,
  decisionsOf,
  type End,
  isDone,
  leftOf,
  modelReward,
  nameOf,
  paidByPoints,
  sum,
} from './end.ts';

/** After refunds, each award of an order is the reward for the part that was not refunded. */
export const refunds: Check = {
  name: 'refunds reverse exactly the reward for the refunded part',
  find: (end) => [...end.story.orders.flatMap((placed) => refundRecordProblems(end, placed)), ...reversalProblems(end)],
};

function refundRecordProblems(end: End, placed: PlacedOrder): string[] {
  const order = end.orders.find(({ uuid }) => uuid === placed.id);
  if (!order) return [];
  const own = end.refunds.filter(({ refundedUuid }) => refundedUuid === order.uuid);
  const total = sum(own, ({ amountCents }) => amountCents);
  const missing = placed.refunds.filter(
    ({ externalId, cents, isAccepted }) =>
      isAccepted && !own.some((one) => one.externalRefundId === externalId && one.amountCents === cents),
  );
  return [
    ...missing.map(({ externalId }) => `refund ${externalId} of order ${placed.externalId} is absent`),
    ...(total > order.totalCents ? [`${total} of ${order.totalCents} cents of ${placed.externalId} are refunded`] : []),
    ...(total === order.refundedCents && total === order.refundsAppliedCents
      ? []
      : [`order ${placed.externalId}: ${order.refundedCents} and ${order.refundsAppliedCents} refunded, not ${total}`]),
    ...((order.state === 'REFUNDED') === (total === order.totalCents)
      ? []
      : [`${placed.externalId} is ${order.state}`]),
  ];
}

function reversalProblems(end: End): string[] {
  return decisionsOf(end).flatMap((decision) => {
    const { claim, campaign, awards } = decision;
    const isRefundable = claim?.kind === 'PURCHASE' && campaign.kind !== 'transfer';
    const order = end.orders.find(
      (one) =>
        isRefundable && one.merchantId === claim.merchantId && one.externalOrderId === claim.externalTransactionId,
    );
    const isPaid = paymentsOf(end, claim).length > 0;
    return awards.filter(isDone).flatMap((award) => {
      const left = leftOf(end, award);
      if (left.points < 0 || left.cashbackCents < 0) return [`more of ${nameOf(award)} is reversed than was given`];
      if (order && !isPaid && isCertain(end, decision, award, order)) return restProblems(end, decision, award, order);
      const isRight = order || isPaid || left.points === award.points;
      return isRight ? [] : [`${nameOf(award)} is reversed without a refund`];
    });
  });
}

/**
 * The payments that name the same external transaction as a claim. Their refunds and disputes reduce the claim's
 * reward, too.
 */
const paymentsOf = ({ payments }: End, claim: AwardClaim | undefined) =>
  payments.filter(
    ({ uuid, merchantId, book }) =>
      claim &&
      (uuid === claim.orderUuid ||
        (merchantId === claim.merchantId && book.orderExternalIds.includes(claim.externalTransactionId))),
  );

/** Checks that an award, after refunds, is the reward for the part of the order that was not refunded. */
function restProblems(end: End, decision: Decision, award: RewardTransaction, order: Order): string[] {
  const left = leftOf(end, award);
  const isPaidByPoints = award.type === 'EARN' && paidByPoints(end, order) >= order.totalCents;
  const rest = isPaidByPoints ? 0 : order.totalCents - order.refundedCents;
  const net = modelReward(decision, award, Math.floor((decision.cents * rest) / order.totalCents));
  const expected = { points: Math.min(award.points, net?.points ?? 0), cashbackCents: net?.cashbackCents ?? 0 };
  if (left.points === expected.points && left.cashbackCents === expected.cashbackCents) return [];
  return [
    `${nameOf(award)} of ${order.externalOrderId}, of which ${rest} of ${order.totalCents} cents are left: ` +
      `${left.points} points ${left.cashbackCents} cents are left, not ${expected.points} and ${expected.cashbackCents}`,
  ];
}

/**
 * Whether the model knows how much of an award is left after refunds. The model does not know this in four cases:
 * - the program refused a reversal;
 * - the policy reverses nothing;
 * - the token was requested after a refund;
 * - the member paid a part of the order with points.
 */
function isCertain(end: End, { campaign, claim }: Decision, award: RewardTransaction, order: Order): boolean {
  const isRefused = end.transactions.some(({ reverses, state }) => reverses?.id === award.id && state === 'FAILED');
  const isKept = campaign.policy === 'only_pending' && award.type === 'EARN';
  const own = end.refunds.filter(({ refundedUuid }) => refundedUuid === order.uuid);
  const isLate = own.some(({ createdAt }) => createdAt <= (claim?.issuedAt ?? '')) && claim?.orderUuid === undefined;
  const paid = award.type === 'EARN' ? paidByPoints(end, order) : 0;
  const isShared = paid > 0 && paid < order.totalCents;
  return !isRefused && !isKept && !isLate && !isShared;
}
