import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import { awardRejections } from '../../../shared/domain/award/finalization.ts';
import { type RefusedAttempt, refusalReasons, statusOfRefusal } from '../../../shared/domain/award/refusal.ts';
import { moneyOf } from '../../../shared/domain/campaign/evaluation/reward.ts';
import { resultsInWords } from '../../../shared/domain/campaign/words/explanation.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { eligibleCents } from '../../../shared/domain/order/purchase-details.ts';
import type { Refund } from '../../../shared/domain/order/refund.ts';
import { paymentStatus } from '../../../shared/domain/payment/payment.ts';
import {
  type AwardSource,
  type ExplainedSource,
  receivedIn,
} from '../../../shared/operations/ledger/explain-rewards.ts';
import type { NamedPurchase, Purchase } from '../../../shared/operations/purchase/find-purchase.ts';
import type { TierNameOf } from '../../../shared/operations/registry/tier-names.ts';
import { localMoment } from '../cli/moments.ts';
import { count, counted, dollars, facts, paragraphs, section } from '../cli/text.ts';
import { timeColumn, viewOf } from '../cli/view.ts';
import { explain } from '../explain/explain.ts';
import { explainFailedCondition, explainLimit } from '../explain/parts.ts';
import { paymentLines } from '../explain/payment.ts';
import { rewardsTable, transactionView } from './transaction.ts';

/** Purchases, and the orders and trigger events that are rewarded. `…Report` functions return JSON and text. */

/** The parts of a purchase, without its order and its rewards. */
function purchaseView({ claims, attempts, payments, refunds }: Purchase) {
  return {
    tokens: claims.map(tokenView),
    refusedAttempts: attempts.map(attemptView),
    payments: payments.map(({ payment, position }) => ({
      ...{ uuid: payment.uuid, platform: payment.platform, account: payment.account, paymentId: payment.paymentId },
      ...{ status: paymentStatus(payment), reason: payment.reason ?? null, userId: payment.userId ?? null },
      explanation: paymentLines(payment, position),
    })),
    refunds: refunds.map(refundView),
  };
}

const refundView = viewOf<Refund, { readonly timeZone: string }>()({
  uuid: {},
  externalRefundId: { head: 'refund' },
  createdAt: timeColumn('received', ({ createdAt }) => createdAt),
  amountCents: { head: 'amount', as: dollars },
  state: { head: 'state' },
});

/** A claim without its token, because a token that can be spent is a secret. */
const tokenView = viewOf<AwardClaim, { readonly timeZone: string }>()({
  issuedAt: timeColumn('issued', ({ issuedAt }) => issuedAt),
  campaignId: { head: 'campaign' },
  userId: { head: 'member' },
  amountCents: {
    head: 'amount',
    cell: ({ isTransfer, amountCents: cents }) => (isTransfer ? counted(count(cents / 100), 'point') : dollars(cents)),
  },
  isTransfer: {},
  state: { head: 'state' },
  expiresAt: {},
  spentAt: {},
  until: { ...timeColumn('until', endOf), json: null },
  isToken: { json: ({ orderUuid }) => orderUuid === undefined },
  transactionIds: { json: ({ rewards }) => rewards.map(({ id }) => id) },
});

function endOf({ state, spentAt, issuedAt, expiresAt }: AwardClaim): string {
  return state === 'SPENT' ? (spentAt ?? issuedAt) : expiresAt;
}

function attemptView(attempt: RefusedAttempt) {
  const { authenticationId, refusedAt, userId, amountCents, reason, flows } = attempt;
  const { campaignId = null, campaignVersion = null, partnerId = null, cost = null } = attempt;
  return {
    ...{ authenticationId, refusedAt, userId, amountCents, campaignId, campaignVersion, partnerId },
    ...{ status: statusOfRefusal(reason), reason, message: refusalReasons[reason], cost, flows },
    explanation: attemptLines(attempt),
  };
}

/** Makes one section for each kind of part that the purchase has. */
function purchaseSections({ claims, attempts, payments, refunds }: Purchase, timeZone: string): string[] {
  const tokens = claims.filter(({ orderUuid }) => orderUuid === undefined);
  return [
    ...(refunds.length > 0 ? [section('Refunds', refundView.table(refunds, { timeZone }))] : []),
    ...(tokens.length > 0 ? [section('Tokens of endpoint 1', tokenView.table(tokens, { timeZone }))] : []),
    ...(attempts.length > 0 ? [section('Refused requests of endpoint 1', attemptsText(attempts, timeZone))] : []),
    ...payments.map(({ payment, position }) =>
      section(`Payment ${payment.paymentId}`, paymentLines(payment, position, timeZone).join('\n')),
    ),
  ];
}

const attemptsText = (attempts: readonly RefusedAttempt[], timeZone: string) =>
  paragraphs(
    ...attempts.map((attempt) => section(localMoment(attempt.refusedAt, timeZone), attemptLines(attempt).join('\n'))),
  );

/** @param paidCents the cents of an order's total that points have paid */
function sourceView(source: AwardSource, paidCents = 0) {
  const { uuid, merchantId, userId, state, rejection = null } = receivedIn(source);
  const common = { uuid, merchantId, userId, state, rejection };
  if (source.kind === 'event') {
    const { id, partnershipUuid, triggerName, context, receivedAt } = source.event;
    return { event: { id, ...common, partnershipUuid, triggerName, context, receivedAt } };
  }
  const { externalOrderId, totalCents, refundedCents, createdAt } = source.order;
  const amounts = { totalCents, paidWithPointsCents: paidCents, eligibleCents: earningCents(source.order, paidCents) };
  return { order: { ...common, externalOrderId, ...amounts, refundedCents, createdAt } };
}

interface FactsContext {
  readonly merchantName: string;
  readonly timeZone: string;
  /** The purchase of an order. */
  readonly purchase?: Purchase | undefined;
}

function sourceFacts(source: AwardSource, { merchantName: merchant, timeZone, purchase }: FactsContext): string {
  const { uuid, userId, state, rejection } = receivedIn(source);
  const common = {
    uuid,
    merchant,
    member: userId ?? 'unknown to the platform',
    state: rejection === undefined ? state : `${state}: ${awardRejections[rejection]} (${rejection})`,
  };
  if (source.kind === 'event') {
    const { id, triggerName, context, receivedAt } = source.event;
    return facts({
      event: id,
      ...common,
      trigger: triggerName,
      context: JSON.stringify(context),
      received: localMoment(receivedAt, timeZone),
    });
  }
  const { externalOrderId, refundedCents, createdAt } = source.order;
  return facts({
    order: externalOrderId,
    ...common,
    paid: paidText(source.order, purchase?.paidCents ?? 0),
    ...(refundedCents > 0 && { refunded: dollars(refundedCents) }),
    received: localMoment(createdAt, timeZone),
  });
}

/** The part of an order that can earn: without what points have paid. */
const earningCents = (order: Order, paidCents: number) => moneyOf(eligibleCents(order), order.totalCents, paidCents);

function paidText(order: Order, paidCents: number): string {
  const total = dollars(order.totalCents);
  const earning = earningCents(order, paidCents);
  if (paidCents === 0) return `${total}; ${dollars(earning)} of it can earn`;
  if (earning === 0) return `${total}, all of it with points: what points pay earns nothing`;
  return `${total}, ${dollars(paidCents)} of it with points; ${dollars(earning)} of it can earn`;
}

const simulatedNow =
  'Decisions that gave nothing are not stored. The ones below are made now, for the time of the order or event, by the ' +
  'present version of each campaign and with the member’s present spend and use of limits. Both may have been different.';

/** An order or trigger event with its rewards, and the campaigns that gave no reward. */
export function sourceReport(explained: ExplainedSource) {
  const { source, transactions, simulations, purchase, merchantName, tierNameOf, timeZone } = explained;
  const evaluations = simulations.map((simulation) => ({
    campaignId: simulation.campaign.id,
    campaign: simulation.campaign.name,
    explanation: simulationLines(simulation, tierNameOf),
  }));
  return {
    json: {
      ...sourceView(source, purchase?.paidCents),
      ...(purchase && purchaseView(purchase)),
      ...{ transactions: transactions.map(transactionView), evaluations },
    },
    text: paragraphs(
      sourceFacts(source, { merchantName, timeZone, purchase }),
      section('Rewards', rewardsTable(transactions)),
      ...(purchase ? purchaseSections(purchase, timeZone) : []),
      ...(evaluations.length > 0 ? [simulatedNow] : []),
      ...evaluations.map(({ campaignId, campaign, explanation }) =>
        section(`Campaign ${campaignId} (${campaign})`, explanation.join('\n')),
      ),
    ),
  };
}

/** A purchase for which the merchant registered no order: its rewards, tokens, payments and refused requests. */
export function purchaseReport({ purchase, merchantName, timeZone }: NamedPurchase) {
  const { merchantId, externalTransactionId, transactions } = purchase;
  return {
    json: {
      purchase: { merchantId, externalTransactionId },
      ...purchaseView(purchase),
      transactions: transactions.map(transactionView),
    },
    text: paragraphs(
      facts({ purchase: externalTransactionId, merchant: merchantName, order: 'not registered (endpoint 11)' }),
      section('Rewards', rewardsTable(transactions)),
      ...purchaseSections(purchase, timeZone),
    ),
  };
}

/** The state of a purchase, without the decisions behind it. */
export function orderReport({ purchase, merchantName, timeZone }: NamedPurchase) {
  const { order, transactions } = purchase;
  if (!order) return purchaseReport({ purchase, merchantName, timeZone });
  const source = { kind: 'order', order } as const;
  return {
    json: {
      ...sourceView(source, purchase.paidCents),
      ...purchaseView(purchase),
      ...{ lineItems: order.lineItems, paymentId: order.paymentId, transactions: transactions.map(transactionView) },
    },
    text: paragraphs(
      sourceFacts(source, { merchantName, timeZone, purchase }),
      ...(order.lineItems.length > 0 ? [section('Items', itemView.table(order.lineItems))] : []),
      section('Rewards', rewardsTable(transactions)),
      ...purchaseSections(purchase, timeZone),
    ),
  };
}

const itemView = viewOf<Order['lineItems'][number]>()({
  productId: { head: 'product' },
  productName: { head: 'name' },
  priceCents: { head: 'price', as: dollars },
});

/** Explains the decision of a simulation, or why the simulation has no decision. */
export function simulationLines(
  { campaign, decision, reason }: ExplainedSource['simulations'][number],
  tierNameOf: TierNameOf = () => undefined,
): string[] {
  if (decision) return explain(decision, undefined, { campaign, tierName: (id) => tierNameOf(campaign.partnerId, id) });
  return [
    reason === 'user_not_customer'
      ? 'Nothing could be decided: the member is not a customer of the merchant.'
      : 'Nothing could be decided: the member has no account in the program.',
  ];
}

/** Explains line by line why a request of endpoint 1 was refused. */
function attemptLines(attempt: RefusedAttempt): string[] {
  const { reason, amountCents, campaignId, campaignVersion, partnerId, cost, flows, isShortened } = attempt;
  const asked = [
    `Member ${attempt.userId} asked with the amount ${dollars(amountCents)}`,
    ...(partnerId === undefined ? [] : [`partner ${partnerId}`]),
    ...(campaignId === undefined ? ['no campaign'] : [`campaign ${campaignId}`]),
  ];
  return [
    `${refusalReasons[reason]} (${reason}).`,
    ...(reason === 'member_blocked' ? [blockAdvice(attempt.userId)] : []),
    `${asked.join(', ')}.`,
    ...(campaignVersion === undefined ? [] : [`Decided by version ${campaignVersion} of the campaign.`]),
    ...(cost ? [`It costs ${counted(count(cost.points), 'point')}; the balance was ${count(cost.balance)}.`] : []),
    ...flows.flatMap(flowLines),
    ...(isShortened ? ['Further details were too long to keep.'] : []),
  ];
}

/** Names the command that shows who blocked a member, and the command that ends the block. */
const blockAdvice = (userId: number | null) =>
  `Who blocked it, and why: npm run admin -- member show ${userId}. The command member unblock ends the block.`;

function flowLines({ flowId, result, conditions, limits }: RefusedAttempt['flows'][number]): string[] {
  return [
    `Flow ${flowId} ${resultsInWords[result]}.`,
    ...conditions.map((condition) => `  ${explainFailedCondition(condition)}`),
    ...limits.map((limit) => `  ${explainLimit(limit)}`),
  ];
}
