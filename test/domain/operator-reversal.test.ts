import { describe, expect, it } from 'vitest';
import { afterRefusedReversal, afterReversal } from '../../shared/domain/ledger/finalize.ts';
import { noRefunds, type RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { moveToTarget } from '../../shared/domain/purchase/move.ts';
import { NotReversibleError, reverseRest } from '../../shared/domain/reversal/operator-reversal.ts';
import type { ReversedLeg } from '../../shared/domain/reversal/reversal.ts';
import { fc } from '../support/fast-check.ts';
import { aCampaign, aFlow, earning, noon } from './fixtures.ts';
import { refundAll, rewarded, targetAfter } from './refunds.ts';

/** A purchase of $100 that earned 100 points. */
const claim = rewarded(aCampaign({ flows: [aFlow([earning(10_000)])] }), { amountCents: 10_000 });
const given = claim.transactions[0] as RewardTransaction;
const leg = (original = given, more: Partial<ReversedLeg> = {}): ReversedLeg => ({
  ...{ original, decision: claim.decision, policy: 'within_balance', availablePoints: 1_000, heldPoints: 0 },
  ...more,
});
const cause = { uuid: 'an operator’s decision', reason: 'A test purchase', operator: 'ada@desk' };
let lastId = 5_000;
const nextIds = () => ({ id: ++lastId, uuid: `reversal-${lastId}` });
const reverse = (...legs: readonly ReversedLeg[]) => reverseRest(legs, cause, { now: noon, nextIds });
/** Returns the only reversal, and the original, which has its new `refunds`. */
function reversedOnce(of: ReversedLeg) {
  const [one] = reverse(of);
  if (!one?.reversal) throw new Error('nothing was reversed');
  return { reversal: one.reversal, original: { ...of.original, refunds: one.refunds } };
}

/** What a settlement of the purchase decides after refunds returned `returnedCents`. */
const settled = (
  original: RewardTransaction,
  returnedCents: number,
  policy: ReversedLeg['policy'] = 'within_balance',
) => {
  const target = targetAfter(claim, original, returnedCents);
  const reversal = {
    ...leg(original, { policy }),
    target,
    inTime: target,
    cause: { uuid: 'a payment', returnedCents },
  };
  return moveToTarget(reversal, noon, nextIds);
};

describe('reverseRest()', () => {
  it('reverses the whole reward and records operator and reason', () => {
    const { reversal, original } = reversedOnce(leg());
    expect(reversal).toMatchObject({
      ...{ type: 'EARN', state: 'PENDING', points: 100, amountCents: 0, reversalReason: cause.reason },
      reverses: { id: given.id, uuid: given.uuid, refundUuid: cause.uuid },
      reversalOperator: 'ada@desk',
    });
    expect(original.refunds).toMatchObject({ isVoid: true, voidedBy: reversal.id });
    expect(afterRefusedReversal(original, reversal)).not.toHaveProperty('voidedBy');
  });

  it('counts spent points as a shortfall, unless the policy is unlimited', () => {
    expect(reversedOnce(leg(given, { availablePoints: 30 })).reversal.shortfallPoints).toBe(70);
    const unlimited = leg(given, { availablePoints: 30, policy: 'unlimited' });
    expect(reversedOnce(unlimited).reversal.shortfallPoints).toBeUndefined();
  });

  it.each<[string, Partial<RewardTransaction>]>([
    ['that is pending', { state: 'PENDING' }],
    ['in ERROR', { state: 'ERROR' }],
    ['that failed', { state: 'FAILED' }],
    ['that is a reversal', { reverses: { id: 1, uuid: 'one', refundUuid: 'refund' } }],
  ])('refuses a transaction %s', (_, more) => {
    expect(() => reverse(leg({ ...given, ...more }))).toThrow(NotReversibleError);
  });

  it('refuses a transaction that a pending reversal already reverses completely', () => {
    expect(() => reverse(leg(reversedOnce(leg()).original))).toThrow('nothing is left');
  });

  it('refuses a transaction with a pending restoration, which the program may still reject', () => {
    const { original, reversal } = reversedOnce(leg());
    const { isVoid: _, ...refunds } = afterReversal(original, reversal).refunds;
    const restored = settled({ ...original, refunds, state: 'REVERSED' }, 0);
    if (!restored || restored === 'wait') throw new Error('nothing was restored');

    expect(restored.reversal).toMatchObject({ isRestoration: true, points: 100 });
    const waiting = { ...restored.original, refunds: restored.refunds };
    expect(() => reverse(leg(waiting))).toThrow('has to answer');
  });

  it('reverses both legs of a transfer or none', () => {
    const other = { ...given, id: 101, uuid: 'award-101', otherLegId: given.id };
    const legs = [leg({ ...given, otherLegId: 101 }), leg(other)] as const;
    const [one, two] = reverse(...legs);

    expect([one?.reversal?.otherLegId, two?.reversal?.otherLegId]).toEqual([two?.reversal?.id, one?.reversal?.id]);
    expect(() => reverse(legs[0], leg(other, { availablePoints: 99 }))).toThrow('the transfer stays');
  });

  it('reverses exactly what earlier refunds left, so that later refunds reverse nothing', () => {
    const shares = fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 4 });
    fc.assert(
      fc.property(shares, shares, (before, after) => {
        const { original: refunded } = refundAll(claim, given, before);
        if (refunded.state === 'REVERSED') return;
        const { reversal, original } = reversedOnce(leg(refunded));
        const confirmed = afterReversal(original, reversal);
        const ended = { ...original, refunds: confirmed.refunds, state: 'REVERSED' } as const;
        const { original: last, steps } = refundAll(claim, ended, after);

        expect((refunded.refunds?.points ?? 0) + reversal.points).toBe(given.points);
        expect(confirmed.isOver).toBe(true);
        expect(steps.every(({ reversal: more }) => more === null)).toBe(true);
        expect(last.refunds?.points).toBe(given.points);
      }),
    );
  });
});

describe('a settlement after an operator’s reversal', () => {
  it('reverses nothing more once the program has confirmed the reversal', () => {
    const { original, reversal } = reversedOnce(leg());
    const ended = { ...original, refunds: afterReversal(original, reversal).refunds, state: 'REVERSED' } as const;

    expect(settled(ended, 0)).toBeUndefined();
    expect(settled(ended, 10_000)).toBeUndefined();
  });

  it('makes a refund wait for the program’s answer to the reversal', () => {
    expect(settled(reversedOnce(leg()).original, 10_000)).toBe('wait');
  });

  it('restores points of a failed refund after the program rejected the reversal', () => {
    const refunds = { ...noRefunds, revision: 1, refundedCents: 5_000, points: 50 };
    const completedAt = new Date(noon.getTime() - 1_000).toISOString();
    const { original, reversal } = reversedOnce(leg({ ...given, refunds, completedAt }, { policy: 'only_pending' }));
    expect(settled(original, 0, 'only_pending')).toBe('wait');

    const kept = { ...original, refunds: afterRefusedReversal(original, reversal) };
    expect(settled(kept, 0, 'only_pending')).toMatchObject({ reversal: { isRestoration: true, points: 50 } });
  });

  it('lets a full refund reverse the reward after the program rejected the reversal', () => {
    const { original, reversal } = reversedOnce(leg());
    const kept = { ...original, refunds: afterRefusedReversal(original, reversal) };

    expect(settled(kept, 10_000)).toMatchObject({ reversal: { points: 100 } });
  });
});
