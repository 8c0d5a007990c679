import { actionKind } from '../campaign/document/campaign.ts';
import type { Decision, FlowOutcome } from '../campaign/evaluation/decision.ts';
import { rewardOfAmount } from '../campaign/evaluation/reward.ts';
import { noRefunds, type RewardTransaction } from '../ledger/reward-transaction.ts';
import { awaitsOperatorReversal, netRewardOf } from '../reversal/reversal.ts';
import type { ClaimStatement, MerchantRefund, PaymentStatement, Statements } from './statements.ts';

/**
 * What the rewards of a purchase should be, from everything that was stated about it. Pure and total: the order in which
 * the statements arrived makes no difference.
 */

/** A part of a whole; always between 0 and 1. */
export interface Share {
  readonly part: bigint;
  readonly whole: bigint;
}

const nothing: Share = { part: 0n, whole: 1n };

function share(part: number, whole: number): Share {
  return whole <= 0 ? nothing : { part: BigInt(Math.max(0, Math.min(part, whole))), whole: BigInt(whole) };
}

const isLarger = (one: Share, other: Share) => one.part * other.whole > other.part * one.whole;
const larger = (one: Share, other: Share) => (isLarger(one, other) ? one : other);

function plus(one: Share, other: Share): Share {
  const whole = one.whole * other.whole;
  const part = one.part * other.whole + other.part * one.whole;
  return { part: part > whole ? whole : part, whole };
}

/** The rest of an amount after a share of it is gone; rounded down. */
export const without = (cents: number, { part, whole }: Share): number =>
  Number((BigInt(cents) * (whole - part)) / whole);

/** The part of a purchase that may earn, with the shares of it that are no money of the purchase. */
interface Bought {
  readonly cents: number;
  /** The share that points paid, or that is not captured yet. */
  readonly lacking: Share;
}

const sum = <Item>(items: readonly Item[], amountOf: (item: Item) => number) =>
  items.reduce((total, item) => total + amountOf(item), 0);

/** The statements that state an amount of their own: spent tokens. */
const tokensOf = ({ claims }: Statements) => claims.filter(({ isOfPayment }) => !isOfPayment);

/** The largest token: the merchant's promise in the reply of endpoint 2. */
function tokenOf(statements: Statements, campaignId: number | undefined): ClaimStatement | undefined {
  const tokens = tokensOf(statements).toSorted((one, other) => other.totalCents - one.totalCents);
  return tokens.find((token) => token.campaignId === campaignId) ?? tokens[0];
}

/**
 * What was bought: by the merchant's word, else by the order of the payment platform, else by the captures of all
 * payments. Amounts of different sources are never added.
 */
function boughtOf(statements: Statements, campaignId?: number): Bought {
  const word = tokenOf(statements, campaignId) ?? statements.order;
  if (word) return { cents: word.eligibleCents, lacking: share(statements.paidCents, word.totalCents) };
  return accountsOf(statements)
    .map(boughtBy)
    .reduce((one, other) => (leftOf(one) < leftOf(other) ? other : one), { cents: 0, lacking: nothing });
}

/** What is left of an amount after the shares that are lacking or gone. One rounding, down to the cent. */
const leftOf = ({ cents, lacking }: Bought, gone: Share = nothing): number =>
  Number((BigInt(cents) * (lacking.whole - lacking.part) * (gone.whole - gone.part)) / (lacking.whole * gone.whole));

/** The payments of each payment account. Without the merchant's word, two accounts may report the same money. */
const accountsOf = ({ payments }: Statements): PaymentStatement[][] => [
  ...Map.groupBy(payments, ({ account }) => account).values(),
];

/** What the payments of one account bought: the stated order as far as it is captured, or the sum of all captures. */
function boughtBy(payments: readonly PaymentStatement[]): Bought {
  const captured = sum(payments, ({ capturedCents }) => capturedCents);
  if (captured === 0) return { cents: 0, lacking: nothing };
  const stated = countedOrder(payments);
  if (!stated) return { cents: sum(payments, ({ eligibleCents }) => eligibleCents), lacking: nothing };
  const { eligibleCents: cents, totalCents } = stated;
  return { cents, lacking: share(totalCents - captured, totalCents) };
}

/**
 * The order that counts of those that the payments of one account state: the last one; of two that were stated at the
 * same time, the larger one.
 */
const countedOrder = (payments: readonly PaymentStatement[]): PaymentStatement['order'] =>
  payments
    .flatMap(({ order }) => order ?? [])
    .toSorted(
      (one, other) =>
        Date.parse(other.statedAt) - Date.parse(one.statedAt) ||
        other.totalCents - one.totalCents ||
        other.eligibleCents - one.eligibleCents,
    )[0];

/** The refunds of a report that count: a refund with the id of one that failed at the platform returned no money. */
function refundedOf(refunds: readonly MerchantRefund[], payments: readonly PaymentStatement[]): number {
  const failed = new Set(payments.flatMap(({ failedRefundIds }) => failedRefundIds));
  return sum(
    refunds.filter(({ id }) => !failed.has(id)),
    ({ amountCents }) => amountCents,
  );
}

/** The share of what the payments of one account captured that was returned. */
function returnedBy(payments: readonly PaymentStatement[], statedCents: number): Share {
  const captured = sum(payments, ({ capturedCents }) => capturedCents);
  const returned = sum(payments, ({ returnedCents }) => returnedCents);
  const reported = captured + sum(payments, ({ failedCents }) => failedCents);
  // A capture that failed is gone as well, as far as no other capture replaced it.
  const lost = Math.max(0, Math.min(statedCents, reported) - captured);
  return share(returned + lost, captured + lost);
}

/** The share that payment platforms returned. Without the merchant's word, two accounts may report the same money. */
function returnedShare(statements: Statements): Share {
  const word = statements.order ?? tokenOf(statements, undefined);
  if (word) return returnedBy(statements.payments, Math.max(0, word.totalCents - statements.paidCents));
  return accountsOf(statements)
    .map((payments) => returnedBy(payments, 0))
    .reduce(larger, nothing);
}

/**
 * The share of a purchase that is gone. The merchant and payment platforms report the same money, so the larger share
 * counts, and a full refund by either side is the whole. A part that points paid is no money: the platforms' share is of
 * the rest.
 */
export function goneOf(statements: Statements): Share {
  const { order, claims, payments } = statements;
  const captured = sum(payments, ({ capturedCents }) => capturedCents);
  const ofOrder = order ? share(refundedOf(order.refunds, payments), order.totalCents) : nothing;
  const ofClaims = claims.map(({ refunds, totalCents, isOfPayment }) =>
    share(refundedOf(refunds, payments), isOfPayment ? Math.max(totalCents, captured) : totalCents),
  );
  return larger(plus(ofOrder, ofClaims.reduce(larger, nothing)), returnedShare(statements));
}

/** Whether a payment platform has captured money for the purchase. */
export const hasCaptures = ({ payments }: Statements): boolean =>
  payments.some(({ capturedCents }) => capturedCents > 0);

/** The amount that earns before anything is returned: without the part that points paid. */
export const moneyBought = (statements: Statements, campaignId?: number): number =>
  leftOf(boughtOf(statements, campaignId));

/** The amount that earns now. */
export const moneyLeft = (statements: Statements, campaignId?: number): number =>
  leftOf(boughtOf(statements, campaignId), goneOf(statements));

/** The points or cents of one transaction that should stand. */
export interface Target {
  readonly original: RewardTransaction;
  readonly points: number;
  readonly cashbackCents: number;
}

/** A part of a reward that no transaction has yet, because the purchase grew. */
export interface Growth extends Pick<Target, 'points' | 'cashbackCents'> {
  /** The transaction whose decision the growth follows. */
  readonly template: RewardTransaction;
  readonly flowId: number;
  readonly actionId: number;
  /** The flow as it was decided. */
  readonly flow: FlowOutcome;
}

/** The awards of one campaign for a purchase, with the decision that counts for all of them. */
export interface CampaignAwards {
  readonly campaignId: number;
  readonly decision: Decision;
  /** Those of a token first, then the oldest first. */
  readonly transactions: readonly RewardTransaction[];
}

/** What should stand of each award of a campaign, and what is missing. */
export interface CampaignTargets {
  readonly targets: readonly Target[];
  readonly growth: readonly Growth[];
}

/** A rejected or refused award never stands again, but its part of the reward is not given a second time. */
const isLost = ({ state }: RewardTransaction) => state === 'FAILED' || state === 'CANCELLED';

/**
 * The targets of a campaign: the reward of an amount by the campaign's decision, rounded once on the total, and divided
 * among the transactions of each action. What the transactions do not cover is growth.
 */
export function targetsOf({ decision, transactions }: CampaignAwards, cents: number): CampaignTargets {
  const standing = transactions.toSorted((one, other) => Number(isLost(one)) - Number(isLost(other)));
  const actions = decision.flows
    .filter(({ result }) => result === 'REWARDED')
    .flatMap((flow) => {
      const amounts = rewardOfAmount(flow, decision.facts, cents);
      return flow.actions.map((action, position) => divide(standing, { flow, action, amount: amounts[position] ?? 0 }));
    });
  const targets = actions.flatMap((action) => action.targets);
  const known = new Set(targets.map(({ original }) => original));
  const others = standing.filter((one) => !known.has(one)).map((original) => ({ original, ...amountIn('points', 0) }));
  return { targets: [...targets, ...others], growth: actions.flatMap(({ growth }) => growth) };
}

interface ActionReward {
  readonly flow: FlowOutcome;
  readonly action: FlowOutcome['actions'][number];
  /** Points, or cents of cashback. */
  readonly amount: number;
}

/** Divides the reward of one action among its transactions, the first one first. */
function divide(standing: readonly RewardTransaction[], { flow, action, amount }: ActionReward): CampaignTargets {
  const { flowId } = flow;
  const { actionId, kind } = action;
  const { unit } = actionKind(kind);
  const own = standing.filter((one) => one.flowId === flowId && one.actionId === actionId);
  let left = amount;
  const targets = own.map((original) => {
    const part = Math.min(left, unit === 'points' ? original.points : original.cashbackCents);
    left -= part;
    return { original, ...amountIn(unit, part) };
  });
  const template = own[0] ?? standing[0];
  const growth = left > 0 && template ? [{ template, flow, flowId, actionId, ...amountIn(unit, left) }] : [];
  return { targets, growth };
}

const amountIn = (unit: string, amount: number) =>
  unit === 'points' ? { points: amount, cashbackCents: 0 } : { points: 0, cashbackCents: amount };

/** What should stay of a payment with points. A refund of the redemption itself counts in addition. */
export function redemptionTarget(original: RewardTransaction, decision: Decision, statements: Statements): Target {
  const own = statements.redemptions.find(({ campaignId }) => campaignId === original.campaignId);
  const cents = own?.totalCents ?? original.amountCents;
  const refunded = own ? share(refundedOf(own.refunds, statements.payments), own.totalCents) : nothing;
  const left = without(cents, plus(goneOf(statements), refunded));
  const net = netRewardOf(original, decision, { capturedCents: cents, refundedCents: cents - left });
  return { original, ...net };
}

/** What is left of a transaction after its reversals and restorations, pending ones included. */
export const standingOf = ({ points, cashbackCents, refunds = noRefunds }: RewardTransaction) => ({
  points: points - refunds.points,
  cashbackCents: cashbackCents - refunds.cashbackCents,
});

/**
 * Whether a transaction stands where it should. A rejected award never stands again. While an operator's reversal is
 * pending, it is not known what stands.
 */
export function isSettled({ original, points, cashbackCents }: Target): boolean {
  if (isLost(original)) return true;
  const stands = standingOf(original);
  return !awaitsOperatorReversal(original) && stands.points === points && stands.cashbackCents === cashbackCents;
}

/** The statements without refunds and returns that arrived at `before` or later. */
export function statedBefore(
  statements: Statements,
  isInTime: (uuid: string, receivedAt: string) => boolean,
): Statements {
  const early = <Statement extends { readonly uuid: string; readonly refunds: readonly MerchantRefund[] }>(
    statement: Statement,
  ): Statement => ({
    ...statement,
    refunds: statement.refunds.filter(({ receivedAt }) => isInTime(statement.uuid, receivedAt)),
  });
  return {
    ...statements,
    ...(statements.order && { order: early(statements.order) }),
    claims: statements.claims.map(early),
    redemptions: statements.redemptions.map(early),
    payments: statements.payments.map((payment) =>
      isInTime(payment.uuid, payment.receivedAt) ? payment : { ...payment, returnedCents: 0 },
    ),
  };
}

/**
 * The statements as one text: equal texts are equal statements. Refunds are in it as sums, so it stays short, whatever
 * the number of refunds.
 */
export function statedText(statements: Statements): string {
  const { order, claims, redemptions, payments, paidCents } = statements;
  // A payment may state its order again without a change: then its order is the last one from now on.
  const counted = new Set(accountsOf(statements).map(countedOrder));
  const merchant = ({
    uuid,
    totalCents,
    eligibleCents,
    refunds,
  }: Omit<ClaimStatement, 'campaignId' | 'isOfPayment'>) => {
    return [uuid, totalCents, eligibleCents, sum(refunds, ({ amountCents }) => amountCents)];
  };
  const platform = ({ uuid, order: stated, failedRefundIds, ...amounts }: PaymentStatement) => {
    const { capturedCents, eligibleCents, returnedCents, failedCents } = amounts;
    return [
      uuid,
      capturedCents,
      eligibleCents,
      returnedCents,
      failedCents,
      stated?.totalCents ?? 0,
      stated?.eligibleCents ?? 0,
      stated && counted.has(stated) ? 1 : 0,
      ...failedRefundIds,
    ];
  };
  const sorted = <Statement extends { readonly uuid: string }>(statements: readonly Statement[]) =>
    statements.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  return JSON.stringify([
    order ? merchant(order) : null,
    sorted(claims).map(merchant),
    sorted(redemptions).map(merchant),
    sorted(payments).map(platform),
    paidCents,
  ]);
}
