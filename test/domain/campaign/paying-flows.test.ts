import { describe, expect, it } from 'vitest';
import { rewardsOf } from '../../../shared/domain/award/rewards.ts';
import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import type { Action, Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Facts } from '../../../shared/domain/campaign/document/facts.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { fc } from '../../support/fast-check.ts';
import { aCampaign, aFlow, aMultiplier, aUserLimit, facts, redeeming, settings } from '../fixtures.ts';
import { refundAll, rewarded } from '../refunds.ts';
import { all, moving, perTransaction } from './campaign-parts.ts';

const redeem = (...flows: Flow[]): Campaign => aCampaign({ type: 'REDEEM', flows });
const rebate = (shareBp: number): Action => ({ id: 9, ownerId: 2, kind: 'AWARD_CASHBACK', shareBp });
const stepped = (increment: number, id = 1): Action => ({
  ...{ id, ownerId: 2, kind: 'REDEEM_POINTS', pointValueMicros: 10_000, increment },
});
const forTag = (value: string) =>
  all({ ...{ id: 71, ownerId: 2, attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: [value] } });

const resultsOf = (campaign: Campaign, more: Partial<Facts> = {}, usage = {}) =>
  evaluate(campaign, facts(more), usage).flows.map(({ result }) => result);
const paidBy = (campaign: Campaign, more: Partial<Facts> = {}, usage = {}) =>
  rewardsOf(evaluate(campaign, facts(more), usage), 2).map(({ flowId, points }) => [flowId, points]);

describe('a REDEEM campaign with several flows', () => {
  /** Yearly members pay $100 with 5,000 points, but only once. All other payments of $100 cost 10,000 points. */
  const campaign = redeem(
    {
      ...aFlow([redeeming(20_000, 3)], [], 1),
      conditionGroups: [forTag('yearly')],
      limits: [aUserLimit({ amount: 1 })],
    },
    aFlow([redeeming(10_000, 4)], [], 2),
  );
  const yearly = { attributes: { plan: ['yearly'] } };

  it('takes points once, by the first flow that qualifies', () => {
    expect(paidBy(campaign, yearly)).toEqual([[1, 5_000]]);
    expect(resultsOf(campaign, yearly)).toEqual(['REWARDED', 'EARLIER_FLOW']);
    expect(paidBy(campaign)).toEqual([[2, 10_000]]);
    expect(resultsOf(campaign)).toEqual(['NOT_QUALIFIED', 'REWARDED']);
  });

  it('uses the next flow when a limit is used up', () => {
    expect(paidBy(campaign, yearly, { '50#LIFETIME': 1 })).toEqual([[2, 10_000]]);
  });

  it('is invalid when another flow follows a flow without conditions', () => {
    const [first, second] = campaign.flows as [Flow, Flow];
    expect(validateCampaign(campaign, settings())).toEqual([]);
    expect(validateCampaign(redeem(second, first), settings())).toMatchObject([
      { pointer: '/flows/1', code: 'unreachable_flow' },
    ]);
  });
});

describe('a TRANSFER campaign with several flows', () => {
  it('uses only the first flow whose increment fits', () => {
    const route = { fromPartnerId: 2, toPartnerId: 3, conversionRateBp: 20_000, increment: 10_000 };
    const better: Action = { id: 2, ownerId: 2, kind: 'TRANSFER_POINTS', ...route };
    const campaign = aCampaign({ type: 'TRANSFER', flows: [aFlow([better], [], 1), aFlow([moving()], [], 2)] });
    const moved = (transferPoints: number) => paidBy(campaign, { amountCents: null, transferPoints }).map(([id]) => id);

    expect(moved(20_000)).toEqual([1, 1]);
    expect(moved(1_000)).toEqual([2, 2]);
    expect(moved(999)).toEqual([]);
  });
});

describe('a redemption in steps', () => {
  const campaign = redeem(aFlow([stepped(500)]));

  it.each([
    [500, 'REWARDED'],
    [1_000, 'REWARDED'],
    [501, 'NO_MULTIPLE'],
    [499, 'NO_MULTIPLE'],
  ])('with steps of 500 points and a price of %i points has the result %s', (amountCents, result) => {
    expect(resultsOf(campaign, { amountCents })).toEqual([result]);
  });

  it('requires that the price after multipliers is a multiple of the step', () => {
    const multiplied = redeem(aFlow([stepped(500)], [aMultiplier({ factorBp: 20_000 })]));
    expect(resultsOf(multiplied, { amountCents: 1_000, statusTierId: 2 })).toEqual(['REWARDED']);
    expect(resultsOf(multiplied, { amountCents: 500, statusTierId: 2 })).toEqual(['NO_MULTIPLE']);
  });

  it('returns points for a partial refund without rounding to steps', () => {
    const paid = rewarded(campaign, { amountCents: 1_000 });
    const [original] = paid.transactions;
    if (!original) throw new Error('nothing was paid');
    expect(refundAll(paid, original, [333]).original.refunds).toMatchObject({ points: 333 });
  });
});

describe('the cashback of a payment with points', () => {
  const campaign = redeem({
    ...aFlow([redeeming(10_000, 2), rebate(500)]),
    limits: [perTransaction('MAXIMUM', 'POINTS', 10_000)],
  });

  it('is part of the transaction of the payment', () => {
    expect(rewardsOf(evaluate(campaign, facts()), 2)).toEqual([
      { flowId: 1, actionId: 2, type: 'REDEEM', partnerId: 2, points: 10_000, cashbackCents: 500, charges: [] },
    ]);
  });

  it('is not given when the payment is refused', () => {
    expect(rewardsOf(evaluate(campaign, facts({ amountCents: 10_001 })), 2)).toEqual([]);
  });

  it('needs a partnership that allows cashback', () => {
    expect(validateCampaign(campaign, settings({ allowsCashback: false }))).toMatchObject([
      { code: 'cashback_not_enabled' },
    ]);
  });

  it('is reversed completely after a full refund', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), weights, (amountCents, wanted) => {
        const paid = rewarded(campaign, { amountCents });
        const [original] = paid.transactions;
        if (!original) throw new Error('nothing was paid');
        let left = amountCents;
        const parts = wanted.map((part) => {
          const cents = Math.min(part, left);
          left -= cents;
          return cents;
        });
        const { refunds, state } = refundAll(
          paid,
          original,
          [...parts, left].filter((cents) => cents > 0),
        ).original;
        expect(refunds).toMatchObject({ points: original.points, cashbackCents: original.cashbackCents });
        expect(state).toBe('REVERSED');
      }),
    );
  });
});
