import { rewardsOf } from '../../shared/domain/award/rewards.ts';
import type { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import type { Facts, Usage } from '../../shared/domain/campaign/document/facts.ts';
import type { Decision } from '../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../shared/domain/campaign/evaluation/evaluate.ts';
import { afterReversal } from '../../shared/domain/ledger/finalize.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import {
  type AppliedRefunds,
  applyRefunds,
  type RefundedLeg,
  type RefundOfTransaction,
} from '../../shared/domain/reversal/reversal.ts';
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

/** A refund of a purchase. */
export const aRefund = (amountCents: number, { capturedCents }: Pick<Rewarded, 'capturedCents'>, number = 1) =>
  ({
    uuid: `refund-${number}`,
    refundedUuid: 'order',
    receivedAt: noon.toISOString(),
    amountCents,
    capturedCents,
  }) satisfies RefundOfTransaction;

/** Applies refunds to one transaction of a purchase, one after the other. The program confirms each reversal. */
export function refundAll(
  claim: Rewarded,
  original: RewardTransaction,
  amounts: readonly number[],
  more: Partial<Pick<RefundedLeg, 'policy' | 'availablePoints'>> = {},
): { readonly original: RewardTransaction; readonly steps: readonly AppliedRefunds[] } {
  let current = original;
  const steps = amounts.map((amountCents, number) => {
    const refund = aRefund(amountCents, claim, number);
    const given = {
      original: current,
      refunds: [refund],
      decision: claim.decision,
      policy: 'unlimited',
      availablePoints: 0,
      heldPoints: 0,
    } as const;
    const ids = { id: 1_000 + number, uuid: `reversal-${number}` };
    const [step] = applyRefunds([{ ...given, ...more }], noon, () => ids);
    if (!step) throw new Error('the refund was not applied');
    current = { ...current, refunds: step.refunds };
    if (!step.reversal) return step;
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
