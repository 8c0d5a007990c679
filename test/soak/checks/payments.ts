import type { Payment } from '../../../shared/domain/payment/payment.ts';
import { positionOf, type SalePosition } from '../payments.ts';
import type { Sale } from '../story.ts';
import {
  type Check,
  decisionsOf,
  type End,
  isDone,
  leftOf,
  modelReward,
  nameOf,
  ofOneProgram,
  reversalsOf,
  sum,
} from './end.ts';

/**
 * Every payment is recorded as it was reported and is awarded once. After refunds, its awards are what its net amount
 * earns.
 */
export const payments: Check = {
  name: 'after refunds, every payment has earned for its net amount',
  find: (end) => end.story.sales.flatMap((sale) => saleProblems(end, sale).map((what) => `${sale.id}: ${what}`)),
};

function saleProblems(end: End, sale: Sale): string[] {
  const [payment, ...others] = end.payments.filter(
    ({ merchantId, paymentId, book }) =>
      merchantId === sale.merchant.id &&
      [paymentId, ...book.aliases].some((id) => id === sale.id || sale.captures.some((one) => one.id === id)),
  );
  if (!payment) return ['it is not recorded'];
  if (others.length > 0) return [`it is recorded ${others.length + 1} times`];
  const position = positionOf(sale);
  const unawarded = position.eligibleCents - sum(payment.awards, ({ eligibleCents }) => eligibleCents);
  return [
    ...(unawarded < 0 ? [`it is awarded for ${0 - unawarded} cents too many`] : []),
    ...(unawarded > 0 ? unawardedProblems(end, { sale, payment, cents: unawarded }) : []),
    ...netProblems(sale, payment, position),
    ...(sale.orderId === undefined ? rewardProblems(end, payment, position.netCents) : []),
  ];
}

/**
 * Compares the net amount of a payment with what the payment platform reported. If the payment belongs to an order, the
 * net amount may be smaller: the merchant may also have reported refunds of the order.
 */
function netProblems({ orderId }: Sale, { awards, netCents }: Payment, position: SalePosition): string[] {
  const isRight = orderId === undefined ? netCents === position.netCents : netCents <= position.netCents;
  return awards.length === 0 || isRight ? [] : [`net ${netCents} cents, not ${position.netCents}`];
}

/**
 * Checks that each award of a payment is the reward for its share of the net amount. The net amount is divided among
 * the awards one by one: each takes at most its eligible amount.
 */
function rewardProblems(end: End, payment: Payment, netCents: number): string[] {
  let rest = netCents;
  return payment.awards.flatMap(({ externalTransactionId, eligibleCents }) => {
    const net = Math.min(rest, eligibleCents);
    rest -= net;
    return decisionsOf(end)
      .filter(({ claim }) => claim?.merchantId === payment.merchantId)
      .filter(({ claim }) => claim?.externalTransactionId === externalTransactionId)
      .flatMap((decision) =>
        decision.awards.filter(isDone).flatMap((award) => {
          const isRefused = reversalsOf(end, award, ['FAILED']).length > 0;
          const isKept = decision.campaign.policy === 'only_pending';
          if (isRefused || isKept) return [];
          const left = leftOf(end, award);
          const model = modelReward(decision, award, net);
          const expected = {
            points: Math.min(award.points, model?.points ?? 0),
            cashbackCents: model?.cashbackCents ?? 0,
          };
          if (left.points === expected.points && left.cashbackCents === expected.cashbackCents) return [];
          return [
            `${nameOf(award)} for ${eligibleCents} cents, of which ${net} are left: ${left.points} points ` +
              `${left.cashbackCents} cents are left, not ${expected.points} and ${expected.cashbackCents}`,
          ];
        }),
      );
  });
}

/** If refunds leave a part of a member's payment, the payment earns under every campaign that has no limits. */
function unawardedProblems(
  end: End,
  { sale, payment, cents }: { readonly sale: Sale; readonly payment: Payment; readonly cents: number },
): string[] {
  const userId = userOf(end, sale);
  const paidAt = new Date(Math.min(...sale.captures.map(({ at }) => at))).toISOString();
  // When a customer links an account at a merchant, the link claims the customer's earlier payments at this merchant.
  const mayClaim = sale.merchant === end.scene.merchants[0];
  const purchase = {
    merchantId: sale.merchant.id,
    externalIds: payment.awards.map(({ externalTransactionId }) => externalTransactionId),
    userId,
    reason: payment.reason,
  };
  const rewarding = ofOneProgram(end, purchase).filter(
    ({ kind, partnerId, limits, rewards }) =>
      kind === 'earn' &&
      limits.length === 0 &&
      rewards(cents).some(({ points, cashbackCents }) => points + cashbackCents > 0) &&
      end.memberships.some(
        (one) => one.userId === userId && one.partnerId === partnerId && (one.createdAt <= paidAt || mayClaim),
      ),
  );
  // The order may be rewarded in place of the payment. And the payment platform's customer id may belong to another
  // member by now.
  const isUncertain = sale.orderId !== undefined || payment.reason === 'several_members';
  if (isUncertain || positionOf(sale).netCents === 0) return [];
  return rewarding.map(({ name }) => `${cents} cents are not awarded under ${name}: ${payment.reason}`);
}

/** The user behind the customer of a sale: a member, or a person who has linked an account since. */
function userOf({ scene, story, memberships }: End, { externalId, merchant }: Sale): number | undefined {
  const isLinkable = merchant === scene.merchants[0];
  const linked = story.connects.find((one) => isLinkable && one.externalId === externalId)?.memberId;
  const member = scene.members.find((one) => one.externalId === externalId);
  return member?.id ?? memberships.find((one) => one.externalId === linked)?.userId;
}
