import type { Payment } from '../../../shared/domain/payment/payment.ts';
import { type Check, eligibleOf, sum } from './end.ts';

/** Each purchase, order or processed payment counts towards spend, once for each external id. */
export const spending: Check = {
  name: 'spend counts every purchase once',
  find: (end) => {
    const spent = end.claims.filter(
      (claim) => claim.state === 'SPENT' && claim.kind === 'PURCHASE' && !claim.isTransfer && !claim.orderUuid,
    );
    const paysWithPoints = ({ rewards }: (typeof spent)[number]) => rewards.some(({ type }) => type === 'REDEEM');
    const nameOf = (merchantId: number, externalId: string) => `${merchantId} ${externalId}`;
    // Refunds reduce the spend of a purchase, and so do points that paid for it. `reconcile` compares exact amounts.
    const reduced = new Set([
      ...spent
        .filter((claim) => paysWithPoints(claim) || (claim.refundedCents ?? 0) > 0)
        .map((claim) => nameOf(claim.merchantId, claim.externalTransactionId)),
      ...end.orders
        .filter(({ refundedCents }) => refundedCents > 0)
        .map((order) => nameOf(order.merchantId, order.externalOrderId)),
      ...end.payments.flatMap((payment) => {
        const { refunds: returned, disputes, refundedTotals, captures } = payment.book;
        const isWhole =
          Object.keys({ ...returned, ...disputes, ...refundedTotals }).length === 0 &&
          Object.values(captures).every(({ status }) => status !== 'failed');
        const { externalTransactionId } = spentBy(payment) ?? {};
        return isWhole || externalTransactionId === undefined
          ? []
          : [nameOf(payment.merchantId, externalTransactionId)];
      }),
    ]);
    const bought = [
      ...spent
        .filter((claim) => !paysWithPoints(claim))
        .map((claim) => ({ ...claim, at: claim.spentAt ?? claim.issuedAt })),
      ...end.orders.map((order) => ({
        ...{ userId: order.userId, merchantId: order.merchantId, externalTransactionId: order.externalOrderId },
        ...{ amountCents: eligibleOf(order), at: order.createdAt },
      })),
      ...end.payments.flatMap((payment) => {
        const { userId, merchantId, countsAt: at } = payment;
        const { externalTransactionId, amountCents } = spentBy(payment) ?? {};
        if (userId === undefined || at === undefined || externalTransactionId === undefined) return [];
        return [{ userId, merchantId, externalTransactionId, amountCents: amountCents ?? 0, at }];
      }),
    ];
    return end.memberships.flatMap(({ userId, partnerId, createdAt }) =>
      end.scene.merchants.flatMap(({ id: merchantId }) => {
        const purchases = Map.groupBy(
          bought.filter((one) => one.merchantId === merchantId),
          ({ externalTransactionId }) => externalTransactionId,
        );
        // The first of several claims and orders of one purchase counts. The model does not know which one was the
        // first.
        const possible = [...purchases.values()].map((own) =>
          own.map((one) => (one.userId === userId && one.at >= createdAt ? one.amountCents : 0)),
        );
        const kept = [...purchases].filter(([externalId]) => !reduced.has(nameOf(merchantId, externalId)));
        const least = sum(kept, ([, own]) =>
          Math.min(...own.map((one) => (one.userId === userId && one.at >= createdAt ? one.amountCents : 0))),
        );
        const most = sum(possible, (cents) => Math.max(...cents));
        const found = sum(
          end.spend.filter(
            (one) => one.userId === userId && one.partnerId === partnerId && one.merchantId === merchantId,
          ),
          ({ spentCents }) => spentCents,
        );
        const name = `member ${userId} at ${merchantId}, linked to ${partnerId}`;
        return found < least || found > most ? [`${name} spent ${found} cents, not ${least} to ${most}`] : [];
      }),
    );
  },
};

/**
 * The external id and the amount with which a payment counts towards spend: those of its first award. A payment without
 * awards has them in `spent`.
 */
function spentBy({ awards: [first], spent }: Payment) {
  return first ? { externalTransactionId: first.externalTransactionId, amountCents: first.eligibleCents } : spent;
}
