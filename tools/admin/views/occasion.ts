import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { eligibleCents } from '../../../shared/domain/order/order.ts';
import { dollars, facts, moment, table } from '../cli/text.ts';
import { rejectionText } from '../explain/occasion.ts';
import type { Occasion } from '../find/occasions.ts';
import { amountText } from './transaction.ts';

/** An order or a trigger event for scripts. */
export function occasionView({ kind, told }: Occasion) {
  const { uuid, merchantId, userId, state, rejection = null } = told;
  const same = { uuid, merchantId, userId, state, rejection };
  if (kind === 'event') {
    const { id, partnershipUuid, triggerName, context, receivedAt } = told;
    return { event: { id, ...same, partnershipUuid, triggerName, context, receivedAt } };
  }
  const { externalOrderId, totalCents, refundedCents, createdAt } = told;
  return {
    order: { ...same, externalOrderId, totalCents, eligibleCents: eligibleCents(told), refundedCents, createdAt },
  };
}

/** The same for people. */
export function occasionFacts({ kind, told }: Occasion, merchant: string): string {
  const state = told.rejection === undefined ? told.state : `${told.state}: ${rejectionText(told.rejection)}`;
  const member = told.userId ?? 'nobody whom the platform knows';
  if (kind === 'event') {
    const { id, uuid, triggerName, context, receivedAt } = told;
    const words = JSON.stringify(context);
    return facts({
      event: id,
      uuid,
      trigger: triggerName,
      context: words,
      merchant,
      member,
      state,
      came: moment(receivedAt),
    });
  }
  const { uuid, externalOrderId, totalCents, refundedCents, createdAt } = told;
  return facts({
    order: externalOrderId,
    uuid,
    merchant,
    member,
    paid: `${dollars(totalCents)}, of which ${dollars(eligibleCents(told))} can earn`,
    ...(refundedCents > 0 && { refunded: dollars(refundedCents) }),
    state,
    came: moment(createdAt),
  });
}

/** What something was rewarded with, each of which `member why` explains. */
export function rewardsTable(transactions: readonly RewardTransaction[]): string {
  if (transactions.length === 0) return 'nothing';
  return table(
    ['transaction', 'campaign', 'version', 'what', 'state'],
    transactions.map((one) => [one.id, one.campaignId, one.campaignVersion, amountText(one), one.state]),
  );
}
