import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { ExplainedTransaction } from '../../../shared/operations/ledger/explain-rewards.ts';
import { localMoment } from '../cli/moments.ts';
import { type Cell, dollars, facts, paragraphs, section, table } from '../cli/text.ts';
import { explain } from '../explain/explain.ts';
import { paymentLines } from '../explain/payment.ts';
import { programLines } from '../explain/program.ts';
import { effectText, type ReversalCause, refundLines, reversalLines } from '../explain/refunds.ts';

/** Reward transactions: `…View` for scripts, `…Report` for scripts and people, all others for people. */

export function transactionView(transaction: RewardTransaction) {
  const { id, uuid, type, state, points, amountCents, userId, merchantId, partnerId, partnershipUuid } = transaction;
  const { campaignId, campaignVersion, flowId, actionId, externalTransactionId, createdAt, updatedAt } = transaction;
  const { cashbackCents, charges, triggerEvent = null, refunds = null, reverses = null } = transaction;
  return {
    ...{ id, uuid, type, state, points, cashbackCents, amountCents, userId, merchantId, partnerId, partnershipUuid },
    ...{ campaignId, campaignVersion, flowId, actionId, externalTransactionId, createdAt, updatedAt },
    ...{ charges, triggerEvent, refunds: refunds && refundsView(refunds), reverses },
    isRestoration: transaction.isRestoration ?? false,
    reversalReason: transaction.reversalReason ?? null,
    reversalOperator: transaction.reversalOperator ?? null,
    review: transaction.review ?? null,
    ...{ shortfallPoints: transaction.shortfallPoints ?? 0, failureReason: transaction.failureReason ?? null },
  };
}

const refundsView = ({ refundedCents, points, cashbackCents, pendingReversals, waiting }: Refunds) => ({
  ...{ refundedCents, points, cashbackCents, pendingReversals },
  waiting: waiting.length > 0,
});

/** The purchase, refund, transfer or event behind a transaction. */
function basisFact(
  transaction: RewardTransaction,
  { merchant, isPaidWithPoints }: Pick<TransactionNames, 'merchant' | 'isPaidWithPoints'>,
): Record<string, Cell> {
  const { externalTransactionId, amountCents, triggerEvent, isRegistration, reverses, otherLegId } = transaction;
  const purchase = `${externalTransactionId ?? '-'}, ${dollars(amountCents)} at ${merchant}`;
  if (transaction.reversalReason !== undefined) {
    const { reversalReason: reason, reversalOperator: by = null } = transaction;
    return {
      'reversal of': `transaction ${reverses?.id}, of ${externalTransactionId ?? 'an event'} at ${merchant}`,
      by,
      reason,
    };
  }
  if (transaction.isRestoration) return { 'refund taken back': purchase };
  if (isPaidWithPoints) return { 'paid with points': purchase };
  if (reverses) return { 'refund of': purchase };
  if (triggerEvent) return { event: `${triggerEvent.uuid} of trigger ${triggerEvent.customTriggerId}, at ${merchant}` };
  // The amount of a transfer is left out here: it is in points, and the decision contains it.
  if (otherLegId !== undefined) return { transfer: `${externalTransactionId ?? '-'}, with transaction ${otherLegId}` };
  // The basis is a registration. The award is for the new member or for the referrer.
  if (isRegistration || externalTransactionId === null) return { event: `an account was linked, at ${merchant}` };
  return { claim: purchase };
}

/** The names that describe a transaction in addition to its own fields. */
interface TransactionNames {
  readonly merchant: string;
  readonly partner: string;
  readonly campaign: Campaign | undefined;
  readonly timeZone: string;
  readonly isPaidWithPoints: boolean;
}

export function transactionFacts(transaction: RewardTransaction, names: TransactionNames): string {
  const { id, uuid, userId, createdAt } = transaction;
  return facts({
    transaction: id,
    uuid,
    effect: effectText(transaction),
    state: stateText(transaction),
    member: userId,
    ...basisFact(transaction, names),
    program: names.partner,
    campaign: `${transaction.campaignId} (${names.campaign?.name ?? 'no longer there'})`,
    created: localMoment(createdAt, names.timeZone),
  });
}

/** The rewards of an order or event. `member why` explains each. */
export function rewardsTable(transactions: readonly RewardTransaction[]): string {
  if (transactions.length === 0) return 'nothing';
  return table(
    ['transaction', 'campaign', 'version', 'effect', 'state'],
    transactions.map((one) => [one.id, one.campaignId, one.campaignVersion, effectText(one), stateText(one)]),
  );
}

/** `FAILED (the account is closed)` */
const stateText = ({ state, failureReason }: RewardTransaction) =>
  failureReason === undefined ? state : `${state} (${failureReason})`;

/** A reward transaction and the decision behind it, for scripts and for people. */
export function transactionReport(explained: ExplainedTransaction) {
  const { transaction, decision, campaign, merchantName: merchant, partnerName: partner } = explained;
  const { payment, reversals, isPaidWithPoints } = explained;
  const explanation = explanationOf(explained);
  const { timeZone } = decision.facts;
  const program = programLines(transaction, { name: partner, timeZone }, explained.settledPoints);
  const paid = payment ? paymentLines(payment.payment, payment.position, timeZone) : [];
  return {
    json: {
      ...{
        transaction: transactionView(transaction),
        campaign: campaign?.name ?? null,
        explanation,
        decision,
        program,
      },
      payment: payment ? { uuid: payment.payment.uuid, paymentId: payment.payment.paymentId, explanation: paid } : null,
      reversals: reversals.map(transactionView),
    },
    text: paragraphs(
      transactionFacts(transaction, { merchant, partner, campaign, timeZone, isPaidWithPoints }),
      section('Why', explanation.join('\n')),
      ...(payment ? [section(`Payment ${payment.payment.paymentId}`, paid.join('\n'))] : []),
      section('Answer of the program', program.join('\n')),
      ...(reversals.length > 0 ? [section('Reversals', reversalsTable(reversals, timeZone))] : []),
    ),
  };
}

function reversalsTable(reversals: readonly RewardTransaction[], timeZone: string): string {
  return table(
    ['transaction', 'created', 'effect', 'state'],
    reversals.map((one) => [one.id, localMoment(one.createdAt, timeZone), effectText(one), one.state]),
  );
}

/**
 * Explains the decision, and what reversals took from its reward. For a reversal, explains the decision of the original
 * transaction.
 */
function explanationOf(explained: ExplainedTransaction): string[] {
  const { transaction, decision, original, payment, isPaidWithPoints, byOperator, tierNameOf, campaign } = explained;
  const kind = payment ? 'payment' : isPaidWithPoints ? 'points' : 'refund';
  const cause: ReversalCause = { kind, byOperator, timeZone: decision.facts.timeZone };
  const decided = explain(decision, original ?? transaction, {
    campaign,
    tierName: (id) => tierNameOf(transaction.partnerId, id),
  });
  return original
    ? [...reversalLines(transaction, original, cause), ...decided]
    : [...decided, ...refundLines(transaction, cause)];
}
