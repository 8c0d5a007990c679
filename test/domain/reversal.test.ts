import { describe, expect, it } from 'vitest';
import { ConditionGroup, type Flow, Limit } from '../../shared/domain/campaign/document/campaign.ts';
import { netCents } from '../../shared/domain/campaign/evaluation/reward.ts';
import { afterRefusedReversal, afterReversal } from '../../shared/domain/ledger/finalize.ts';
import { LedgerEntry, toLedgerEntries } from '../../shared/domain/ledger/ledger-entry.ts';
import { coveredPoints } from '../../shared/domain/ledger/movement-table.ts';
import { type TransactionState, transactionStates } from '../../shared/domain/ledger/reward-transaction.ts';
import { contributionsOf, noTotals } from '../../shared/domain/ledger/totals.ts';
import { Location } from '../../shared/domain/member/member.ts';
import { decideOnRefund } from '../../shared/domain/reversal/reversal.ts';
import { aCampaign, aFlow, aTransaction, earning, noon, redeeming } from './fixtures.ts';
import { refundAll, rewarded, takenOf } from './refunds.ts';

const campaignOf = (flow: Partial<Flow>) => aCampaign({ flows: [{ ...aFlow([earning(10_000)]), ...flow }] });
const limit = (more: object) => Limit.parse({ id: 50, ownerId: 2, kind: 'TRANSACTION', bound: 'MAXIMUM', ...more });
const points = (claim: ReturnType<typeof rewarded>, ...amounts: number[]) =>
  takenOf(claim, amounts).map((taken) => taken.points);

describe('netCents()', () => {
  it.each([
    ['nothing is refunded', 10_000, 10_800, 0, 10_000],
    ['a tenth of the captured amount is refunded', 10_000, 10_800, 1_080, 9_000],
    ['the result must be rounded down to a cent', 100, 120, 1, 99],
    ['an amount equal to the tax is refunded', 100, 120, 20, 83],
    ['the whole captured amount is refunded', 10_000, 10_800, 10_800, 0],
    ['more than the captured amount is refunded', 10_000, 10_800, 99_999, 0],
    ['a cent of the largest possible amount is refunded', 999_999_999, 1_000_000_000, 1, 999_999_998],
  ])('returns the net part of the eligible amount when %s', (_case, eligible, capturedCents, refundedCents, net) => {
    expect(netCents(eligible, { capturedCents, refundedCents })).toBe(net);
  });
});

describe('refunds', () => {
  const claim = rewarded(aCampaign(), { amountCents: 10_000 });

  it.each([
    ['80 points for two refunds of $40 of a $100 order', [4_000, 4_000], 80],
    ['10 points for ten refunds of $1', Array.from({ length: 10 }, () => 100), 10],
    ['10 points for one refund of $10', [1_000], 10],
    ['1 point for a cent, because $99.99 earns 99 points', [1], 1],
    ['1 point for a hundred refunds of a cent', Array.from({ length: 100 }, () => 1), 1],
    ['100 points for two refunds of the whole amount', [9_999, 1], 100],
    ['100 points for refunds above the captured amount', [10_000, 5_000], 100],
  ])('reverse the points of the refunded part: %s', (_case, amounts, expected) => {
    expect(points(claim, ...amounts)).toEqual([expected]);
  });

  it('cap the net reward at what the member’s limit had left at the award', () => {
    const limits = [limit({ kind: 'USER', unit: 'POINTS', amount: 100, period: 'MONTH' })];
    const capped = rewarded(campaignOf({ limits }), {}, { '50#2026-03': 70 });
    expect(capped.transactions).toMatchObject([{ points: 30 }]);
    expect([points(capped, 7_000), points(capped, 8_000)]).toEqual([[0], [10]]);
  });

  it('reverse both legs of a transfer only when the whole amount is refunded', () => {
    const transfer = { id: 1, ownerId: 2, kind: 'TRANSFER_POINTS', fromPartnerId: 2, toPartnerId: 3 } as const;
    const campaign = aCampaign({
      type: 'TRANSFER',
      flows: [aFlow([{ ...transfer, conversionRateBp: 5_000, increment: 100 }])],
    });
    const moved = rewarded(campaign, { amountCents: null, transferPoints: 1_000 }, {}, 100_000);
    expect(moved.transactions).toMatchObject([{ points: 1_000 }, { points: 500 }]);
    expect([points(moved, 99_999), points(moved, 99_999, 1)]).toEqual([
      [0, 0],
      [1_000, 500],
    ]);
  });
});

describe('minimums and conditions at a refund', () => {
  const basket = (...others: readonly object[]) =>
    ConditionGroup.parse({
      id: 1,
      logic: 'ANY',
      conditions: [
        { id: 2, ownerId: 2, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 5_000 },
        ...others,
      ],
    });
  const inNorway = { id: 3, ownerId: 2, attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['NO'] };
  const small = { id: 4, ownerId: 2, attribute: 'BASKET_SIZE', operator: 'LESS_THAN', amountCents: 2_000 };
  const minimum = (unit: string, amount: number) => [limit({ bound: 'MINIMUM', unit, amount })];

  it.each<[string, Partial<Flow>]>([
    ['a minimum of dollars', { limits: minimum('DOLLARS', 5_001) }],
    ['a minimum of points', { limits: minimum('POINTS', 51) }],
    ['a minimum basket size', { conditionGroups: [basket()] }],
    ['a minimum basket size, beside a condition that does not hold', { conditionGroups: [basket(inNorway)] }],
    ['a maximum basket size that holds only after the refund', { conditionGroups: [basket(small)] }],
  ])('are tested again only if the flow sets reevaluateOnRefund (%s)', (_case, flow) => {
    expect(points(rewarded(campaignOf(flow)), 5_000)).toEqual([50]);
    const asking = rewarded(campaignOf({ ...flow, reevaluateOnRefund: true }));
    expect([points(asking, 4_000), points(asking, 5_000), points(asking, 8_500)]).toEqual([[40], [100], [100]]);
  });

  it('leave the remaining reward while another condition of an ANY group holds', () => {
    const inAmerica = { ...inNorway, values: ['US'] };
    const location = Location.parse({ country: 'US', region: null, city: null });
    const flow = { conditionGroups: [basket(inAmerica)], reevaluateOnRefund: true };
    expect(points(rewarded(campaignOf(flow), { location }), 5_000)).toEqual([50]);
  });
});

describe('a reversal', () => {
  const claim = rewarded(campaignOf({ limits: [limit({ kind: 'USER', unit: 'EVENTS', amount: 5, period: 'DAY' })] }));
  const [original = aTransaction()] = claim.transactions;
  const only = (amount: number, more = {}) => refundAll(claim, original, [amount], more);

  it('has the type, campaign and snapshot of its original', () => {
    const [step] = only(2_500).steps;
    expect(step?.reversal).toEqual({
      ...original,
      id: 1_000,
      uuid: 'reversal-0',
      state: 'PENDING',
      points: 25,
      amountCents: 2_500,
      charges: [],
      reverses: { id: original.id, uuid: original.uuid, refundUuid: 'refund-0' },
      createdAt: noon.toISOString(),
      updatedAt: noon.toISOString(),
    });
  });

  it('makes its original REVERSED only when nothing is left', () => {
    expect(only(9_900).original.state).toBe('COMPLETED');
    expect(only(10_000).original.state).toBe('REVERSED');
  });

  it('leaves its original COMPLETED while another reversal is pending', () => {
    const refunds = { ...(only(10_000).original.refunds ?? never()), pendingReversals: 2 };
    const reversal = { ...original, points: 40, charges: [] };
    expect(afterReversal({ ...original, refunds }, reversal)).toMatchObject({
      isOver: false,
      refunds: { pendingReversals: 1 },
      charges: [],
    });

    const refused = afterRefusedReversal({ ...original, refunds }, reversal);
    expect(refused).toMatchObject({ points: 60, pendingReversals: 1 });
    expect(afterReversal({ ...original, refunds: refused }, reversal)).toMatchObject({ isOver: false });
    expect(() => afterReversal(original, reversal)).toThrow('has no reversals');
  });

  it('returns all remaining charges when it is the last reversal', () => {
    const [charge = never()] = original.charges;
    const refunds = { ...(only(10_000).original.refunds ?? never()), pendingReversals: 1, returned: [] };
    const last = afterReversal({ ...original, refunds }, { ...original, points: 1, charges: [] });
    expect(last).toMatchObject({ isOver: true, charges: [charge], refunds: { returned: [charge] } });
  });

  it('has one ledger entry for its points and one for its shortfall', () => {
    const [step] = only(10_000, { policy: 'within_balance', availablePoints: 30 }).steps;
    const reversal = step?.reversal ?? never();
    expect([reversal.points, reversal.shortfallPoints, coveredPoints(reversal)]).toEqual([100, 70, 30]);
    expect(toLedgerEntries(reversal, noon)).toMatchObject([
      { kind: 'EARN_REVERSAL', points: -100, cashbackCents: 0, transactionUuid: 'reversal-0' },
      { kind: 'SHORTFALL', points: 70, cashbackCents: 0 },
    ]);
  });

  it('returns the paid points of a redemption in one ledger entry', () => {
    const paid = rewarded(aCampaign({ type: 'REDEEM', flows: [aFlow([redeeming(10_000)])] }));
    const [redemption = never()] = paid.transactions;
    const [step] = refundAll(paid, redemption, [2_500]).steps;
    expect(toLedgerEntries(step?.reversal ?? never(), noon)).toMatchObject([
      { kind: 'REDEEM_REVERSAL', points: 2_500 },
    ]);
  });

  it('lowers the totals, but not the number of transactions', () => {
    const entry = (kind: LedgerEntry['kind'], more: Partial<LedgerEntry>) =>
      contributionsOf(LedgerEntry.parse({ ...toLedgerEntries(original, noon)[0], kind, ...more })).map(
        ({ totals }) => totals,
      );
    const once = (totals: object) => [{ ...noTotals, ...totals }];
    expect(entry('EARN_REVERSAL', { points: -100 })).toEqual(once({ earnedPoints: -100 }));
    expect(entry('REDEEM_REVERSAL', { points: 40 })).toEqual(once({ redeemedPoints: -40 }));
    expect(entry('SHORTFALL', { points: 70 })).toEqual([]);
    expect(entry('EARN_REVERSAL', { points: 0, cashbackCents: -25 })).toEqual(once({ cashbackCents: -25 }));
    expect(entry('EARN_REVERSAL', { points: -100, isForeign: true })).toEqual([]);
    expect(entry('REDEEM_REVERSAL', { points: 40, isForeign: true })).toEqual([]);
  });
});

function never(): never {
  throw new Error('there is none');
}

describe('a full refund', () => {
  const claim = rewarded(aCampaign());
  const [original = never()] = claim.transactions;
  const taken = (more: object, of = original) => {
    const { steps, original: after } = refundAll(claim, of, [10_000], more);
    return { ...steps[0], after };
  };

  it.each([
    [100, 'no shortfall', undefined],
    [99, 'a shortfall of 1', 1],
    [0, 'a shortfall of 100', 100],
    [-5, 'a shortfall of 100', 100],
  ])('has $1 under within_balance when $0 of 100 points are available', (availablePoints, _, shortfallPoints) => {
    const { reversal, available } = taken({ policy: 'within_balance', availablePoints });
    expect(reversal?.points).toBe(100);
    expect(reversal?.shortfallPoints).toBe(shortfallPoints);
    expect(available).toBe(availablePoints);
  });

  it('reverses unavailable points under the policy unlimited', () => {
    const { reversal, available } = taken({ policy: 'unlimited', availablePoints: 0 });
    expect(reversal).not.toHaveProperty('shortfallPoints');
    expect([reversal?.points, available]).toEqual([100, null]);
  });

  it.each([
    [0, 0],
    [5_000, 50],
    [10_000, 100],
  ])('reverses $1 points under only_pending if $0 cents were refunded before the completion', (inTimeCents, points) => {
    const { reversal, after } = taken({ policy: 'only_pending', availablePoints: 100, inTimeCents });
    expect(reversal?.points ?? 0).toBe(points);
    expect(reversal ?? {}).not.toHaveProperty('completedAt');
    expect(after.refunds?.points ?? 0).toBe(points);
  });

  it('returns all points that the member paid, even under the policy only_pending', () => {
    const paid = rewarded(aCampaign({ type: 'REDEEM', flows: [aFlow([redeeming(10_000)])] }));
    const [redemption = never()] = paid.transactions;
    const [step] = refundAll(paid, redemption, [10_000], { policy: 'only_pending', availablePoints: 0 }).steps;
    expect(step?.reversal).toMatchObject({ type: 'REDEEM', points: 10_000 });
    expect(step?.available).toBeNull();
  });
});

describe('decideOnRefund()', () => {
  it.each<[TransactionState, string]>([
    ['PENDING', 'wait'],
    ['HELD', 'wait'],
    ['ERROR', 'wait'],
    ['COMPLETED', 'reverse'],
    ['REVERSED', 'reverse'],
    ['FAILED', 'nothing'],
    ['CANCELLED', 'nothing'],
  ])('returns "$1" for a transaction in state $0', (state, expected) => {
    expect(decideOnRefund(state)).toBe(expected);
  });

  it('throws for a transaction with a live token', () => {
    expect(() => decideOnRefund('INITIATED')).toThrow('may still be spent');
    expect(transactionStates).toHaveLength(8);
  });
});
