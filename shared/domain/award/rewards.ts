import type { ActionOutcome, Decision, FlowOutcome } from '../campaign/evaluation/decision.ts';
import type { Charge, RewardTransaction } from '../ledger/reward-transaction.ts';

/** The points or money that one action awards or takes. Each reward becomes a reward transaction. */
export type Reward = Pick<
  RewardTransaction,
  'flowId' | 'actionId' | 'type' | 'partnerId' | 'points' | 'cashbackCents' | 'charges'
>;

/**
 * The rewards of a decision: one for every action that is worth at least a point or a cent, two for a transfer. A
 * payment with points includes the cashback of its flow: the program confirms or rejects points and cashback together.
 * The charges of a flow are divided among the rewards of the flow. So each reward can be reversed alone.
 *
 * @param partnerId the program of the campaign
 */
export function rewardsOf(decision: Decision, partnerId: number): Reward[] {
  return decision.flows.flatMap((flow) => {
    const rewards = withCashback(
      flow.actions.flatMap((action) => rewardsOfAction(flow.flowId, action, partnerId)),
      flow,
    );
    const isShared = rewards.length > 1;
    return rewards.map((reward, position) => ({ ...reward, charges: chargesOf(flow, reward, { position, isShared }) }));
  });
}

/** Adds the cashback of a flow to its payment with points. A flow without such a payment stays as it is. */
function withCashback(rewards: readonly Omit<Reward, 'charges'>[], { actions }: FlowOutcome) {
  const paying = actions.find(({ kind }) => kind === 'REDEEM_POINTS')?.actionId;
  if (!rewards.some(({ actionId }) => actionId === paying)) return rewards;
  const cashbackCents = rewards.reduce((sum, reward) => sum + reward.cashbackCents, 0);
  return rewards
    .filter((reward) => reward.cashbackCents === 0)
    .map((reward) => (reward.actionId === paying ? { ...reward, cashbackCents } : reward));
}

function rewardsOfAction(flowId: number, action: ActionOutcome, partnerId: number): Omit<Reward, 'charges'>[] {
  const { actionId, kind, points, cashbackCents, transfer } = action;
  if (points === 0 && cashbackCents === 0) return [];
  const common = { flowId, actionId, partnerId, points, cashbackCents };
  if (transfer) {
    return [
      { ...common, type: 'REDEEM', partnerId: transfer.fromPartnerId, points: transfer.points },
      { ...common, type: 'EARN', partnerId: transfer.toPartnerId },
    ];
  }
  return [{ ...common, type: kind === 'REDEEM_POINTS' ? 'REDEEM' : 'EARN' }];
}

/**
 * A limit of events is charged to the first reward. A limit of points is charged to every reward; in a transfer, only
 * to the first leg.
 */
function chargesOf(
  flow: FlowOutcome,
  { points }: Omit<Reward, 'charges'>,
  { position, isShared }: { readonly position: number; readonly isShared: boolean },
): Charge[] {
  const isTransfer = flow.actions.some(({ transfer }) => transfer !== null);
  return flow.limits.flatMap(({ limitId, period, unit, amount: most, charge }) => {
    if (period === null || charge === 0) return [];
    const share = unit === 'EVENTS' || isTransfer ? (position === 0 ? charge : 0) : points;
    if (share === 0) return [];
    return [{ limitId, period, amount: share, most, ...(unit === 'EVENTS' && isShared && { isShared }) }];
  });
}
