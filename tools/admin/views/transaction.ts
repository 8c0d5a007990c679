import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { count, counted, dollars, facts, moment } from '../cli/text.ts';

/** A reward transaction for scripts. */
export function transactionView(transaction: RewardTransaction) {
  const { id, uuid, type, state, points, amountCents, userId, merchantId, partnerId, partnershipUuid } = transaction;
  const { campaignId, campaignVersion, flowId, actionId, externalTransactionId, createdAt, updatedAt } = transaction;
  const { cashbackCents, charges, triggerEvent = null, refunds = null, reverses = null } = transaction;
  return {
    ...{ id, uuid, type, state, points, cashbackCents, amountCents, userId, merchantId, partnerId, partnershipUuid },
    ...{ campaignId, campaignVersion, flowId, actionId, externalTransactionId, createdAt, updatedAt },
    ...{ charges, triggerEvent, refunds: refunds && refundsView(refunds), reverses },
    ...{ shortfallPoints: transaction.shortfallPoints ?? 0, failureReason: transaction.failureReason ?? null },
  };
}

const refundsView = ({ refundedCents, points, cashbackCents, pendingReversals, waiting }: Refunds) => ({
  ...{ refundedCents, points, cashbackCents, pendingReversals },
  waiting: waiting.length,
});

/** What a transaction is about: points, or money. */
export function amountText({ points, cashbackCents }: RewardTransaction): string {
  return cashbackCents > 0 ? `${dollars(cashbackCents)} of cashback` : counted(count(points), 'point');
}

function whatText(transaction: RewardTransaction): string {
  const isEarned = transaction.type === 'EARN';
  if (transaction.reverses) return `${isEarned ? 'takes' : 'gives'} back ${amountText(transaction)}`;
  return `${isEarned ? 'earned' : 'redeemed'} ${amountText(transaction)}`;
}

/** What it was given for. */
function occasionFact(transaction: RewardTransaction, merchant: string): Record<string, string> {
  const { externalTransactionId, amountCents, triggerEvent, isRegistration, reverses, otherLegId } = transaction;
  const of = `${externalTransactionId ?? '-'}, ${dollars(amountCents)} at ${merchant}`;
  if (reverses) return { 'refund of': of };
  if (triggerEvent) return { event: `${triggerEvent.uuid} of trigger ${triggerEvent.customTriggerId}, at ${merchant}` };
  // To a transfer an amount means points, of which the decision tells.
  if (otherLegId !== undefined) return { transfer: `${externalTransactionId ?? '-'}, with transaction ${otherLegId}` };
  // By it one member registered, or another one brought it.
  if (isRegistration || externalTransactionId === null) return { event: `an account was linked, at ${merchant}` };
  return { claim: of };
}

/** A reward transaction for people. */
export function transactionFacts(
  transaction: RewardTransaction,
  names: { readonly merchant: string; readonly partner: string; readonly campaign: Campaign | undefined },
): string {
  const { id, uuid, state, userId, createdAt } = transaction;
  return facts({
    transaction: id,
    uuid,
    what: whatText(transaction),
    state: transaction.failureReason === undefined ? state : `${state} (${transaction.failureReason})`,
    member: userId,
    ...occasionFact(transaction, names.merchant),
    program: names.partner,
    campaign: `${transaction.campaignId} (${names.campaign?.name ?? 'no longer there'})`,
    begun: moment(createdAt),
  });
}
