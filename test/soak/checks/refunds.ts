import { recordOf } from '../purchases.ts';
import type { PlacedOrder, Token } from '../story.ts';
import { type Check, decisionsOf, type End, isDone, leftOf, nameOf, sum } from './end.ts';

/** Every accepted refund is recorded and applied, and nothing else reverses an award. */
export const refunds: Check = {
  name: 'refunds are recorded once, and reverse what they are for',
  find: (end) => [
    ...end.story.orders.flatMap((placed) => orderProblems(end, placed)),
    ...end.story.tokens.flatMap((token) => tokenProblems(end, token)),
    ...reversalProblems(end),
  ],
};

function orderProblems(end: End, placed: PlacedOrder): string[] {
  const order = recordOf(end, placed);
  if (!order) return [];
  const name = `order ${placed.externalId}`;
  const isOver = order.refundedCents === order.totalCents;
  return [
    ...recordProblems(end, { ...order, name, uuids: [order.uuid] }, placed.refunds),
    ...((order.state === 'REFUNDED') === isOver ? [] : [`${placed.externalId} is ${order.state}`]),
  ];
}

function tokenProblems(end: End, { text, purchase, refunds: reported }: Token): string[] {
  const claim = end.claims.find(({ authenticationId }) => authenticationId === text);
  if (!claim || (reported.length === 0 && claim.refundedCents === undefined)) return [];
  const name = `the token for ${purchase.externalId}`;
  const { amountCents: totalCents, refundedCents = 0, refundsAppliedCents = 0, rewards } = claim;
  const uuids = rewards.map(({ uuid }) => uuid);
  return recordProblems(end, { name, totalCents, refundedCents, refundsAppliedCents, uuids }, reported);
}

/** An order or a token, with the sums of its refunds. */
interface Refunded {
  readonly name: string;
  readonly uuids: readonly string[];
  readonly totalCents: number;
  readonly refundedCents: number;
  readonly refundsAppliedCents: number;
}

function recordProblems(
  end: End,
  { name, uuids, totalCents, refundedCents, refundsAppliedCents }: Refunded,
  reported: PlacedOrder['refunds'],
): string[] {
  const own = end.refunds.filter(({ refundedUuid }) => uuids.includes(refundedUuid));
  const total = sum(own, ({ amountCents }) => amountCents);
  const missing = reported.filter(
    ({ externalId, cents, isAccepted }) =>
      isAccepted && !own.some((one) => one.externalRefundId === externalId && one.amountCents === cents),
  );
  return [
    ...missing.map(({ externalId }) => `refund ${externalId} of ${name} is absent`),
    ...(total > totalCents ? [`${total} of ${totalCents} cents of ${name} are refunded`] : []),
    ...(total === refundedCents && total === refundsAppliedCents
      ? []
      : [`${name}: ${refundedCents} and ${refundsAppliedCents} refunded, not ${total}`]),
  ];
}

/** A purchase has a check of its own. An event has no refunds, and a transfer is reversed by its own refunds only. */
function reversalProblems(end: End): string[] {
  return decisionsOf(end).flatMap(({ campaign, claim, awards }) => {
    const uuids = claim?.rewards.map(({ uuid }) => uuid) ?? [];
    const isRefunded = end.refunds.some(({ refundedUuid }) => uuids.includes(refundedUuid));
    const isPurchase = campaign.kind === 'earn' || campaign.kind === 'pay';
    return awards.filter(isDone).flatMap((award) => {
      const left = leftOf(end, award);
      if (left.points < 0 || left.cashbackCents < 0) return [`more of ${nameOf(award)} is reversed than was given`];
      const isWhole = left.points === award.points && left.cashbackCents === award.cashbackCents;
      return isWhole || isPurchase || isRefunded ? [] : [`${nameOf(award)} is reversed without a refund`];
    });
  });
}
