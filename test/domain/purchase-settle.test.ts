import { describe, expect, it } from 'vitest';
import { Limit } from '../../shared/domain/campaign/document/campaign.ts';
import type { Decision } from '../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../shared/domain/campaign/evaluation/evaluate.ts';
import { noRefunds, type Refunds, type RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { awardGrowth, type MovedLeg, moveToTarget, withWaiting } from '../../shared/domain/purchase/move.ts';
import {
  goneOf,
  isSettled,
  moneyBought,
  moneyLeft,
  redemptionTarget,
  statedText,
  targetsOf,
} from '../../shared/domain/purchase/settle.ts';
import type { PaymentStatement, Statements } from '../../shared/domain/purchase/statements.ts';
import { fc } from '../support/fast-check.ts';
import { aCampaign, aFlow, aTransaction, earning, facts, noon, redeeming } from './fixtures.ts';

/** What the rewards of a purchase should be: the shares that are gone, the money that is left, targets and moves. */

const nothing: Statements = { claims: [], redemptions: [], payments: [], paidCents: 0 };
const at = noon.toISOString();

const refundsOf = (...amounts: readonly number[]) =>
  amounts.map((amountCents, number) => ({ uuid: `u${number}`, id: `r${number}`, amountCents, receivedAt: at }));

const anOrder = (eligibleCents: number, totalCents: number, ...refunded: readonly number[]): Partial<Statements> => ({
  order: { uuid: 'order', totalCents, eligibleCents, refunds: refundsOf(...refunded) },
});

const aToken = (campaignId: number, cents: number, ...refunded: readonly number[]): Statements['claims'][number] => ({
  ...{ uuid: `token-${campaignId}`, campaignId, totalCents: cents, eligibleCents: cents },
  ...{ refunds: refundsOf(...refunded), isOfPayment: false },
});

const aPayment = (capturedCents: number, more: Partial<PaymentStatement> = {}): PaymentStatement => ({
  ...{ uuid: 'payment', account: 'stripe:1', capturedCents, eligibleCents: capturedCents },
  ...{ returnedCents: 0, failedCents: 0, failedRefundIds: [], receivedAt: at, ...more },
});

const stated = (...parts: readonly Partial<Statements>[]): Statements => Object.assign({}, nothing, ...parts);
const later = new Date(noon.getTime() + 1_000).toISOString();
type StatedOrder = NonNullable<PaymentStatement['order']>;
const statedAs = (totalCents: number, eligibleCents: number, statedAt: string): StatedOrder => ({
  totalCents,
  eligibleCents,
  statedAt,
});
const paidBy = (...payments: readonly PaymentStatement[]) => ({ payments });
const failed = { failedRefundIds: ['r0'] };

describe('goneOf()', () => {
  it.each<[string, Statements, number]>([
    ['nothing was refunded', stated(anOrder(10_000, 10_800)), 0],
    ['the merchant refunded a quarter', stated(anOrder(10_000, 10_800, 2_000, 700)), 0.25],
    ['the merchant refunded more than the total', stated(anOrder(10_000, 10_800, 10_800, 100)), 1],
    ['a token was refunded in part', stated({ claims: [aToken(1, 8_000, 2_000)] }), 0.25],
    [
      'order and token were refunded: the merchant reports two different refunds',
      stated(anOrder(10_000, 10_000, 2_500), { claims: [aToken(1, 10_000, 2_500)] }),
      0.5,
    ],
    ['the platform returned a half', stated(paidBy(aPayment(8_000, { returnedCents: 4_000 }))), 0.5],
    [
      'one of two payments was returned',
      stated(paidBy(aPayment(6_000), aPayment(2_000, { returnedCents: 2_000 }))),
      0.25,
    ],
    [
      'merchant and platform report the same refund: the larger share counts',
      stated(anOrder(10_000, 10_000, 2_500), paidBy(aPayment(10_000, { returnedCents: 5_000 }))),
      0.5,
    ],
    [
      'the platform returned the whole of what it captured, which is a part of the order',
      stated(anOrder(10_000, 10_000), paidBy(aPayment(6_000, { returnedCents: 6_000 }))),
      1,
    ],
    [
      'the merchant refunded with the id of a refund that failed at the platform',
      stated(anOrder(10_000, 10_000, 2_500), paidBy(aPayment(10_000, failed))),
      0,
    ],
    [
      'two accounts report the same money: the larger share counts',
      stated(
        paidBy(
          aPayment(8_000, { returnedCents: 2_000 }),
          aPayment(8_000, { account: 'shopify:1', returnedCents: 4_000 }),
        ),
      ),
      0.5,
    ],
    [
      'a capture failed after an order was stated',
      stated(anOrder(10_000, 10_000), paidBy(aPayment(6_000, { failedCents: 4_000 }))),
      0.4,
    ],
    [
      'a capture failed, and another one replaced it',
      stated(anOrder(10_000, 10_000), paidBy(aPayment(10_000, { failedCents: 4_000 }))),
      0,
    ],
  ])('is the share that is gone when %s', (_case, statements, expected) => {
    const { part, whole } = goneOf(statements);
    expect(Number(part) / Number(whole)).toBe(expected);
  });
});

describe('moneyBought() and moneyLeft()', () => {
  const half = { returnedCents: 5_000 };
  const order = { order: { totalCents: 12_000, eligibleCents: 10_000, statedAt: at } };

  it.each<[string, Statements, bought: number, left: number]>([
    ['nothing', nothing, 0, 0],
    ['the largest token', stated(anOrder(10_000, 10_800), { claims: [aToken(1, 70), aToken(2, 90)] }), 90, 90],
    ['the order before its payments', stated(anOrder(10_000, 10_800), paidBy(aPayment(99))), 10_000, 10_000],
    ['the captures of one account together', stated(paidBy(aPayment(6_033), aPayment(3_967))), 10_000, 10_000],
    [
      'the larger of two accounts',
      stated(paidBy(aPayment(6_000), aPayment(7_000, { account: 'shopify:1' }))),
      7_000,
      7_000,
    ],
    ["the platform's order, as far as it is captured", stated(paidBy(aPayment(6_000, order))), 5_000, 5_000],
    ["the platform's order without a later tip", stated(paidBy(aPayment(13_000, order))), 10_000, 10_000],
    ['nothing of an order that is not captured', stated(paidBy(aPayment(0, order))), 0, 0],
    ['what points did not pay', stated(anOrder(10_000, 10_800), { paidCents: 2_700 }), 7_500, 7_500],
    ['captures whole, because they are money', stated(paidBy(aPayment(8_000)), { paidCents: 2_000 }), 8_000, 8_000],
    ['half of a refunded payment', stated(paidBy(aPayment(10_000, half))), 10_000, 5_000],
    ['half of what points did not pay', stated(anOrder(10_000, 10_800, 5_400), { paidCents: 2_700 }), 7_500, 3_750],
    ['one rounding, down', stated(anOrder(100, 300, 100), { paidCents: 100 }), 66, 44],
  ])('are the amounts of %s', (_case, statements, bought, left) => {
    expect([moneyBought(statements), moneyLeft(statements)]).toEqual([bought, left]);
  });

  it.each<[string, StatedOrder, StatedOrder, bought: number]>([
    ['the last', statedAs(9_000, 9_000, at), statedAs(8_000, 8_000, later), 8_000],
    ['the larger of one moment', statedAs(9_000, 9_000, at), statedAs(8_000, 8_000, at), 9_000],
    ['the more eligible of one moment', statedAs(9_000, 8_000, at), statedAs(9_000, 8_500, at), 8_500],
  ])('are those of %s stated order, in any sequence, and the text shows it', (_case, one, other, bought) => {
    const payments = [one, other].map((own, position) => aPayment(10_000, { uuid: `p${position}`, order: own }));
    const texts = [payments, payments.toReversed()].map((all) => {
      expect(moneyBought(stated(paidBy(...all)))).toBe(bought);
      return statedText(stated(paidBy(...all)));
    });
    expect(texts[1]).toBe(texts[0]);
    const [swapped, moved] = [
      aPayment(10_000, { uuid: 'p0', order: { ...one, statedAt: other.statedAt } }),
      aPayment(10_000, { uuid: 'p1', order: { ...other, statedAt: one.statedAt } }),
    ];
    const restated = stated(paidBy(swapped, moved));
    expect(statedText(restated) === texts[0]).toBe(moneyBought(restated) === bought);
  });

  it('are those of the campaign’s own token', () => {
    const statements = stated({ claims: [aToken(1, 7_000, 3_500), aToken(2, 9_000)] });
    expect([1, 2, 3].map((id) => moneyBought(statements, id))).toEqual([7_000, 9_000, 9_000]);
    expect([1, 2, 3].map((id) => moneyLeft(statements, id))).toEqual([3_500, 4_500, 4_500]);
  });
});

/** Two points a dollar. */
const rate = 20_000;
const decide = (amountCents: number, more: Parameters<typeof aCampaign>[0] = {}, usage = {}): Decision =>
  evaluate(aCampaign({ flows: [aFlow([earning(rate)])], ...more }), facts({ amountCents }), usage);

const anAward = (points: number, more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 1, uuid: 'award', state: 'COMPLETED', points, flowId: 1, actionId: 1, ...more });

/** The points of each target, and of all growth. */
function pointsFor(decision: Decision, transactions: readonly RewardTransaction[], cents: number) {
  const { targets, growth } = targetsOf({ campaignId: 1, decision, transactions }, cents);
  const byId = new Map(targets.map(({ original, points }) => [original.id, points]));
  return [transactions.map(({ id }) => byId.get(id)), growth.reduce((sum, { points }) => sum + points, 0)];
}

describe('targetsOf()', () => {
  const decision = decide(6_033);
  const [first, second] = [anAward(120), anAward(80, { id: 2, growthOf: 1 })];

  it.each<[string, RewardTransaction[], number, (number | undefined)[], number]>([
    ['keeps an award that fits', [first], 6_033, [120], 0],
    ['lowers an award to what is left', [first], 3_000, [60], 0],
    ['takes back everything', [first], 0, [0], 0],
    ['adds what a later capture earns', [first], 10_000, [120], 80],
    ['divides the reward, the first award first', [first, second], 10_000, [120, 80], 0],
    ['lowers the last award first', [first, second], 7_500, [120, 30], 0],
    ['gives no second award for a rejected one', [anAward(120, { state: 'FAILED' })], 6_033, [120], 0],
    [
      'moves the reward from a rejected award to those that stand',
      [anAward(120, { state: 'FAILED' }), second],
      6_033,
      [40, 80],
      0,
    ],
  ])('%s', (_case, transactions, cents, points, growth) => {
    expect(pointsFor(decision, transactions, cents)).toEqual([points, growth]);
  });

  it('gives the parts of a purchase as much as the whole', () => {
    // Less than 50 cents earn nothing, so a campaign is asked again when the purchase grows.
    const cents = fc.integer({ min: 50, max: 50_000 });
    fc.assert(
      fc.property(cents, fc.array(cents, { maxLength: 4 }), (start, later) => {
        const decision = decide(start);
        const transactions = [anAward(Math.floor((start * 2) / 100))];
        let total = start;
        for (const [position, more] of later.entries()) {
          total += more;
          const [, growth] = pointsFor(decision, transactions, total);
          transactions.push(anAward(growth as number, { id: position + 2, growthOf: 1 }));
        }
        const sum = transactions.reduce((points, one) => points + one.points, 0);
        expect(sum).toBe(Math.floor((total * 2) / 100));
      }),
    );
  });
});

describe('redemptionTarget()', () => {
  const decision = evaluate(
    aCampaign({ type: 'REDEEM', flows: [aFlow([redeeming(10_000)])] }),
    facts({ amountCents: 2_000 }),
    {},
  );
  const payment = anAward(2_000, { type: 'REDEEM', campaignId: 6, amountCents: 2_000 });
  const own = (...refunded: readonly number[]) => ({
    redemptions: [{ ...aToken(6, 2_000, ...refunded), uuid: 'payment' }],
  });

  it.each<[string, Statements, number]>([
    ['nothing is refunded', stated(own()), 2_000],
    ['half of the order is refunded', stated(anOrder(10_000, 10_000, 5_000), own()), 1_000],
    ['the payment itself is refunded in part', stated(own(500)), 1_500],
    ['both are refunded', stated(anOrder(10_000, 10_000, 5_000), own(500)), 500],
    ['both together are more than the whole', stated(anOrder(10_000, 10_000, 9_000), own(500)), 0],
    ['a share leaves no whole cent: the member gets the rest', stated(anOrder(3, 3, 1), own()), 1_333],
  ])('leaves the points of the money that stays when %s', (_case, statements, points) => {
    expect(redemptionTarget(payment, decision, statements).points).toBe(points);
  });
});

describe('moveToTarget()', () => {
  const original = anAward(200);
  const refunded = (points: number, more: Partial<Refunds> = {}) =>
    anAward(200, { refunds: { ...noRefunds, points, refundedCents: points * 50, ...more } });
  const move = (from: RewardTransaction, points: number, more: Partial<MovedLeg> = {}) => {
    const target = { points, cashbackCents: 0 };
    const leg: MovedLeg = {
      ...{ original: from, decision: decide(10_000), policy: 'within_balance', availablePoints: 1_000 },
      ...{ target, inTime: target, cause: { uuid: 'a refund', returnedCents: (200 - points) * 50 }, ...more },
    };
    const moved = moveToTarget(leg, noon, () => ({ id: 9, uuid: 'reversal' }));
    if (typeof moved !== 'object' || !moved.reversal) return moved;
    const { reversal } = moved;
    return `${reversal.isRestoration ? 'restores' : 'reverses'} ${reversal.points}, short of ${reversal.shortfallPoints ?? 0}`;
  };
  const onlyPending = (inTime: number) => ({
    policy: 'only_pending' as const,
    inTime: { points: inTime, cashbackCents: 0 },
  });

  it.each<[string, ReturnType<typeof move>, string | undefined]>([
    ['moves nothing that stands where it should', move(refunded(50), 150), undefined],
    ['reverses what is too much', move(refunded(50), 100), 'reverses 50, short of 0'],
    ['restores what is missing', move(refunded(150), 100), 'restores 50, short of 0'],
    ['notes points that are spent', move(original, 0, { availablePoints: 70 }), 'reverses 200, short of 130'],
    [
      'takes the balance below zero under the policy unlimited',
      move(original, 0, { availablePoints: 70, policy: 'unlimited' }),
      'reverses 200, short of 0',
    ],
    ['waits for the program to confirm the award', move(anAward(200, { state: 'PENDING' }), 100), 'wait'],
    ['waits for the answer to an earlier reversal', move(refunded(50, { pendingReversals: 1 }), 100), 'wait'],
    [
      'does not wait when the pending reversal already does it',
      move(refunded(100, { pendingReversals: 1 }), 100),
      undefined,
    ],
    ['keeps a completed award under only_pending', move(original, 0, onlyPending(200)), undefined],
    ['reverses what was refunded in time', move(original, 0, onlyPending(120)), 'reverses 80, short of 0'],
    [
      'restores what a failed refund took under only_pending',
      move(refunded(100), 200, onlyPending(200)),
      'restores 100, short of 0',
    ],
    [
      'lets every refund wait for a pending award under only_pending',
      move(anAward(200, { state: 'PENDING' }), 0, onlyPending(200)),
      'wait',
    ],
    ['moves nothing after an operator’s reversal', move(refunded(200, { isVoid: true }), 100), undefined],
    [
      'waits for the answer to an operator’s reversal, which the program may reject',
      move(refunded(200, { isVoid: true, pendingReversals: 1 }), 0),
      'wait',
    ],
  ])('%s', (_case, found, expected) => {
    expect(found).toBe(expected);
  });

  it('isSettled() leaves only what has to move or to wait', () => {
    const settled = (one: RewardTransaction, points: number) => isSettled({ original: one, points, cashbackCents: 0 });
    expect(settled(refunded(50), 150)).toBe(true);
    expect(settled(refunded(50), 100)).toBe(false);
    expect(settled(anAward(200, { state: 'FAILED' }), 0)).toBe(true);
    expect(settled(refunded(200, { isVoid: true, pendingReversals: 1 }), 0)).toBe(false);
  });
});

describe('withWaiting()', () => {
  const mark = (receivedUntil: string, refundedUuid = 'order') => ({ refundedUuid, receivedUntil });
  const later = new Date(noon.getTime() + 1).toISOString();
  const own = { refundedUuid: 'award', receivedUntil: anAward(1).createdAt };

  it('marks a pending award once for each statement, with its last refund', () => {
    const pending = anAward(1, { state: 'PENDING' });
    const once = withWaiting(pending, [mark(at)]);
    expect(once).toMatchObject({ revision: 1, waiting: [own, mark(at)] });
    expect(withWaiting({ ...pending, refunds: once }, [mark(at)])).toBe(once);
    expect(withWaiting({ ...pending, refunds: once }, [mark(later)])).toMatchObject({
      revision: 2,
      waiting: [own, mark(later)],
    });
    expect(withWaiting({ ...pending, refunds: once }, [mark(at, 'payment')]).waiting).toHaveLength(3);
  });

  it('marks a completed award without the refunds, which may be too late', () => {
    expect(withWaiting(anAward(1), [mark(at)]).waiting).toEqual([own]);
  });
});

describe('awardGrowth()', () => {
  const limit = (amount: number) =>
    Limit.parse({ id: 50, ownerId: 2, kind: 'USER', bound: 'MAXIMUM', unit: 'POINTS', amount, period: 'MONTH' });
  const grown = (most: number, used: number) => {
    const flows = [{ ...aFlow([earning(rate)]), limits: [limit(most)] }];
    const decision = decide(6_000, { flows });
    const transactions = [anAward(120, { charges: [] })];
    const [growth] = targetsOf({ campaignId: 1, decision, transactions }, 10_000).growth;
    if (!growth) return undefined;
    const awarded = awardGrowth(growth, {
      ...{ amountCents: 10_000, events: [], usedOf: () => used, ids: { id: 9, uuid: 'growth' }, now: noon },
    });
    return awarded && [awarded.points, awarded.charges.map(({ amount }) => amount), awarded.growthOf, awarded.state];
  };

  it.each([
    ['all of it while the limit has room', 1_000, 120, [80, [80], 1, 'PENDING']],
    ['what is left of the limit', 150, 120, [30, [30], 1, 'PENDING']],
    ['nothing when the limit is used up', 120, 120, undefined],
    ['nothing when other rewards used more than a lowered limit', 120, 500, undefined],
  ])('awards %s', (_case, most, used, expected) => {
    expect(grown(most, used)).toEqual(expected);
  });
});
