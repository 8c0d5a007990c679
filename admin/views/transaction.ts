import type { Campaign } from '../../shared/domain/campaign/campaign.ts';
import type { RewardTransaction } from '../../shared/domain/transaction/reward-transaction.ts';
import { count, dollars, facts, moment } from '../cli/text.ts';

/** A reward transaction for scripts. */
export function transactionView(transaction: RewardTransaction) {
  const { id, uuid, type, state, points, amountCents, userId, merchantId, partnerId, partnershipUuid } = transaction;
  const { campaignId, campaignVersion, flowId, actionId, externalTransactionId, createdAt, updatedAt } = transaction;
  const { cashbackCents, charges, triggerEvent = null } = transaction;
  return {
    ...{ id, uuid, type, state, points, cashbackCents, amountCents, userId, merchantId, partnerId, partnershipUuid },
    ...{ campaignId, campaignVersion, flowId, actionId, externalTransactionId, createdAt, updatedAt },
    ...{ charges, triggerEvent, failureReason: transaction.failureReason ?? null },
  };
}

function amountText({ points, cashbackCents }: RewardTransaction): string {
  return cashbackCents > 0 ? `${dollars(cashbackCents)} of cashback` : `${count(points)} points`;
}

/** A reward transaction for people. */
export function transactionFacts(
  transaction: RewardTransaction,
  names: { readonly merchant: string; readonly partner: string; readonly campaign: Campaign | undefined },
): string {
  const { id, uuid, type, state, amountCents, userId, externalTransactionId, createdAt } = transaction;
  return facts({
    transaction: id,
    uuid,
    what: `${type === 'EARN' ? 'earned' : 'redeemed'} ${amountText(transaction)}`,
    state: transaction.failureReason === undefined ? state : `${state} (${transaction.failureReason})`,
    member: userId,
    purchase: `${externalTransactionId ?? '-'}, ${dollars(amountCents)} at ${names.merchant}`,
    program: names.partner,
    campaign: `${transaction.campaignId} (${names.campaign?.name ?? 'no longer there'})`,
    begun: moment(createdAt),
  });
}
