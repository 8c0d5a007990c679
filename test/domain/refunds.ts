import { rewardsOf } from '../../shared/domain/award/rewards.ts';
import type { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import type { Facts, Usage } from '../../shared/domain/campaign/document/facts.ts';
import type { Decision } from '../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../shared/domain/campaign/evaluation/evaluate.ts';
import { netCents } from '../../shared/domain/campaign/evaluation/reward.ts';
import { afterReversal } from '../../shared/domain/ledger/finalize.ts';
import { noRefunds, type RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { moveToTarget } from '../../shared/domain/purchase/move.ts';
import { targetsOf } from '../../shared/domain/purchase/settle.ts';
import { type AppliedRefunds, netRewardOf, type ReversedLeg } from '../../shared/domain/reversal/reversal.ts';
import { aTransaction, facts, noon } from './fixtures.ts';

/** A rewarded purchase to refund: its decision and its completed transactions. */
export interface Rewarded {
  readonly decision: Decision;
  readonly capturedCents: number;
  readonly transactions: readonly RewardTransaction[];
}

/** Rewards a purchase under a campaign. By default the captured amount is the eligible amount. */
export function rewarded(campaign: Campaign, of: Partial<Facts> = {}, usage: Usage = {}, captured?: number): Rewarded {
  const known = facts(of);
  const decision = evaluate(campaign, known, usage);
  return {
    decision,
    capturedCents: captured ?? known.amountCents ?? 0,
    transactions: rewardsOf(decision, campaign.partnerId).map((reward, position) =>
      aTransaction({ ...reward, id: 100 + position, uuid: `award-${position}`, state: 'COMPLETED' }),
    ),
  };
}

/** What should stand of a transaction after refunds of an amount. */
export function targetAfter(
  { decision, transactions, capturedCents }: Rewarded,
  original: RewardTransaction,
  refundedCents: number,
) {
  const captured = { capturedCents, refundedCents };
  const { amountCents } = decision.facts;
  // Payments with points and transfers are reversed by themselves. The awards of a purchase share its reward.
  if (original.type === 'REDEEM' || amountCents === null) return netRewardOf(original, decision, captured);
  const { targets } = targetsOf({ campaignId: 1, decision, transactions }, netCents(amountCents, captured));
  const { points = 0, cashbackCents = 0 } = targets.find(({ original: one }) => one.id === original.id) ?? {};
  return { points, cashbackCents };
}

/** How refunds are applied: by default without a bound, and all of them in time. */
type Circumstances = Partial<Pick<ReversedLeg, 'policy' | 'availablePoints'>> & {
  /** What was refunded before the transaction was completed. */
  readonly inTimeCents?: number;
};

/** Applies refunds to one transaction of a purchase, one after the other. The program confirms each reversal. */
export function refundAll(
  claim: Rewarded,
  original: RewardTransaction,
  amounts: readonly number[],
  { policy = 'unlimited', availablePoints = 0, inTimeCents }: Circumstances = {},
): { readonly original: RewardTransaction; readonly steps: readonly AppliedRefunds[] } {
  let current = original;
  let refundedCents = original.refunds?.refundedCents ?? 0;
  const steps = amounts.map((amountCents, number) => {
    refundedCents += amountCents;
    const leg = {
      ...{ original: current, decision: claim.decision, policy, availablePoints },
      target: targetAfter(claim, current, refundedCents),
      inTime: targetAfter(claim, current, Math.min(refundedCents, inTimeCents ?? refundedCents)),
      cause: { uuid: `refund-${number}`, returnedCents: refundedCents },
    };
    const step = moveToTarget(leg, noon, () => ({ id: 1_000 + number, uuid: `reversal-${number}` }));
    if (step === 'wait') throw new Error('the refund waits');
    if (!step?.reversal) {
      return { original: current, refunds: current.refunds ?? noRefunds, reversal: null, available: null };
    }
    current = { ...current, refunds: step.refunds };
    const { refunds, isOver, charges } = afterReversal(current, step.reversal);
    current = { ...current, refunds, state: isOver ? 'REVERSED' : 'COMPLETED' };
    return { ...step, reversal: { ...step.reversal, charges } };
  });
  return { original: current, steps };
}

/** Returns the points and cents that refunds reverse in total, for each transaction of a purchase. */
export function takenOf(claim: Rewarded, amounts: readonly number[]) {
  return claim.transactions.map((transaction) => {
    const { refunds } = refundAll(claim, transaction, amounts).original;
    return { points: refunds?.points ?? 0, cashbackCents: refunds?.cashbackCents ?? 0 };
  });
}
