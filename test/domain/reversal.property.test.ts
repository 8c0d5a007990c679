import { describe, expect, it } from 'vitest';
import type { Action, Flow, Limit } from '../../shared/domain/campaign/document/campaign.ts';
import type { Charge, RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { fc } from '../support/fast-check.ts';
import { aCampaign, aFlow, aMultiplier, earning, redeeming } from './fixtures.ts';
import { type Rewarded, refundAll, rewarded, takenOf } from './refunds.ts';

const part = { ownerId: 2 };
const awards = fc.oneof(
  fc.integer({ min: 1, max: 30_000 }).map((rate): Action => earning(rate)),
  fc.integer({ min: 1, max: 10_000 }).map((shareBp): Action => ({ ...part, id: 1, kind: 'AWARD_CASHBACK', shareBp })),
);
const payments = fc.integer({ min: 1, max: 1_000_000 }).map((micros): Action => redeeming(micros));
const rebates = fc
  .integer({ min: 1, max: 10_000 })
  .map((shareBp): Action => ({ ...part, id: 1, kind: 'AWARD_CASHBACK', shareBp }));
/** Several awards, or one payment with or without cashback, each action under an id of its own. */
const actions = fc
  .oneof(fc.array(awards, { minLength: 1, maxLength: 4 }), fc.tuple(payments), fc.tuple(payments, rebates))
  .map((list) => list.map((action, position) => ({ ...action, id: position + 1 })));

const limits = fc
  .array(
    fc.oneof(
      fc.record({
        kind: fc.constant('TRANSACTION' as const),
        unit: fc.constantFrom('POINTS' as const, 'DOLLARS' as const),
      }),
      fc.record({ kind: fc.constant('USER' as const), unit: fc.constantFrom('POINTS' as const, 'EVENTS' as const) }),
    ),
    { maxLength: 2 },
  )
  .chain((kinds) =>
    fc.tuple(
      ...kinds.map((kind, position) =>
        fc.integer({ min: 1, max: 5_000 }).map(
          (amount) =>
            ({
              ...part,
              id: 50 + position,
              bound: 'MAXIMUM',
              amount,
              ...kind,
              ...(kind.kind === 'USER' && { period: 'DAY' }),
            }) as Limit,
        ),
      ),
    ),
  );

const terms = fc.record({
  actions,
  limits,
  factors: fc.array(fc.integer({ min: 5_000, max: 20_000 }), { maxLength: 2 }),
  eligibleCents: fc.integer({ min: 1, max: 300_000 }),
  /** Taxes and tips, which earn nothing. */
  moreCents: fc.integer({ min: 0, max: 30_000 }),
});
/** Purchases, some with a maximum that caps the reward. The maximum reduces the last of several awards first. */
const claims = fc
  .tuple(terms, fc.option(fc.double({ min: 0.3, max: 1, noNaN: true }), { nil: null }))
  .map(([claim, share]) => {
    if (share === null) return claim;
    const amount = Math.floor(Number(netEarnings({ ...claim, limits: [] }, 0).points) * share);
    const cut: Limit = { ...part, id: 99, kind: 'TRANSACTION', bound: 'MAXIMUM', unit: 'POINTS', amount };
    return { ...claim, limits: [...claim.limits, cut] };
  });
type Purchase = typeof terms extends fc.Arbitrary<infer Value> ? Value : never;

const isPayment = ({ actions: [first] }: Purchase) => first?.kind === 'REDEEM_POINTS';

/**
 * The purchase as the platform rewards it. Payments have no maximum here, because the platform refuses a payment above
 * a maximum.
 */
function rewardedAs(claim: Purchase): Rewarded {
  const flow: Flow = {
    ...aFlow(
      [...claim.actions],
      claim.factors.map((factorBp, id) => aMultiplier({ id, factorBp })),
    ),
    limits: isPayment(claim) ? [] : [...claim.limits],
  };
  const { eligibleCents, moreCents } = claim;
  const campaign = aCampaign({ type: isPayment(claim) ? 'REDEEM' : 'EARN', flows: [flow] });
  return rewarded(campaign, { amountCents: eligibleCents, statusTierId: 2 }, {}, eligibleCents + moreCents);
}

/** Weights that divide a total into parts. */
const cuts = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
function partsOf(totalCents: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((one, other) => one + other, 0);
  const parts = weights.map((weight) => Math.floor((totalCents * weight) / sum));
  return [...parts, totalCents - parts.reduce((one, other) => one + other, 0)].filter((cents) => cents > 0);
}

const capOf = ({ limits: all }: Purchase, unit: string) =>
  BigInt(all.filter((limit) => limit.unit === unit).reduce((most, { amount }) => Math.min(most, amount), 1e15));
const atMost = (one: bigint, other: bigint) => (one < other ? one : other);

/** The net reward of a flow as an independent model computes it, in exact fractions: points and cents of all actions. */
function netEarnings(claim: Purchase, refundedCents: number): { points: bigint; cashbackCents: bigint } {
  const captured = BigInt(claim.eligibleCents + claim.moreCents);
  const net = (BigInt(claim.eligibleCents) * (captured - BigInt(refundedCents))) / captured;
  const factor = claim.factors.reduce((product, next) => product * BigInt(next), 1n);
  const unit = 10_000n ** BigInt(claim.factors.length);

  const [first] = claim.actions;
  if (first?.kind === 'REDEEM_POINTS') {
    const worth = BigInt(first.pointValueMicros) * factor;
    const [, rebate] = claim.actions;
    const shareBp = rebate?.kind === 'AWARD_CASHBACK' ? BigInt(rebate.shareBp ?? 0) : 0n;
    return {
      points: (net * 10_000n * unit + worth - 1n) / worth,
      cashbackCents: (net * factor * shareBp) / (10_000n * unit),
    };
  }
  const counted = atMost(net, capOf(claim, 'DOLLARS')) * factor;
  let points = 0n;
  let cashbackCents = 0n;
  for (const action of claim.actions) {
    if (action.kind === 'AWARD_POINTS')
      points += (counted * BigInt(action.pointsPerDollarBp ?? 0)) / (1_000_000n * unit);
    if (action.kind === 'AWARD_CASHBACK') cashbackCents += (counted * BigInt(action.shareBp ?? 0)) / (10_000n * unit);
  }
  return { points: atMost(points, capOf(claim, 'POINTS')), cashbackCents };
}

const sumOf = (worths: readonly { points: number; cashbackCents: number }[]) => ({
  points: worths.reduce((sum, { points }) => sum + points, 0),
  cashbackCents: worths.reduce((sum, { cashbackCents }) => sum + cashbackCents, 0),
});

const returnedOf = (back: readonly Charge[], { limitId, period }: Charge) =>
  back
    .filter((charge) => charge.limitId === limitId && charge.period === period)
    .reduce((total, { amount }) => total + amount, 0);

/**
 * The part of a charge that reversals return. A limit in points gets the reversed points back. Other limits get the whole
 * charge back, but only when the reward is reversed completely.
 */
function dueOf({ limits: all }: Purchase, { limitId, amount }: Charge, { state, refunds }: RewardTransaction): number {
  if (all.find(({ id }) => id === limitId)?.unit === 'POINTS') return refunds?.points ?? 0;
  return state === 'REVERSED' ? amount : 0;
}

describe('refunds, for any campaign,', () => {
  it('reverse the same amount as a model with exact fractions', () => {
    let some = 0;
    fc.assert(
      fc.property(claims, cuts, fc.double({ min: 0, max: 1, noNaN: true }), (claim, weights, share) => {
        const given = rewardedAs(claim);
        const refundedCents = Math.floor(given.capturedCents * share);
        const kept = netEarnings(claim, refundedCents);
        const awarded = sumOf(given.transactions);
        const taken = sumOf(takenOf(given, partsOf(refundedCents, weights)));
        if (given.transactions.length > 0) some += 1;
        if (given.transactions.length === 0) return;

        expect(BigInt(taken.points)).toBe(BigInt(awarded.points) - kept.points);
        expect(BigInt(taken.cashbackCents)).toBe(BigInt(awarded.cashbackCents) - kept.cashbackCents);
      }),
      { numRuns: 2_000 },
    );
    expect(some).toBeGreaterThan(500);
  });

  it('reverse the same points for a refund as for its parts', () => {
    fc.assert(
      fc.property(claims, cuts, fc.integer({ min: 0, max: 100_000 }), (claim, weights, cents) => {
        const given = rewardedAs(claim);
        const refundedCents = Math.min(cents, given.capturedCents);
        const parts = partsOf(refundedCents, weights);
        const atOnce = takenOf(given, refundedCents > 0 ? [refundedCents] : []);
        expect(takenOf(given, parts)).toEqual(atOnce);
        expect(takenOf(given, parts.toReversed())).toEqual(atOnce);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reverse the whole reward when the full amount is refunded', () => {
    fc.assert(
      fc.property(claims, cuts, (claim, weights) => {
        const given = rewardedAs(claim);
        for (const transaction of given.transactions) {
          const { original, steps } = refundAll(given, transaction, partsOf(given.capturedCents, weights));
          const { points, cashbackCents } = transaction;
          expect(original).toMatchObject({
            state: 'REVERSED',
            refunds: { points, cashbackCents, pendingReversals: 0 },
          });
          const reversals = steps.flatMap(({ reversal }) => reversal ?? []);
          expect(reversals.every((one) => one.points + one.cashbackCents > 0)).toBe(true);
          expect(sumOf(reversals)).toEqual({ points, cashbackCents });
          expect(refundAll(given, original, [1]).steps[0]?.reversal).toBeNull();
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('return the charge of the reversed reward to every limit', () => {
    fc.assert(
      fc.property(claims, cuts, fc.boolean(), (claim, weights, isWhole) => {
        const given = rewardedAs(claim);
        for (const transaction of given.transactions) {
          const parts = partsOf(given.capturedCents, weights);
          const { original, steps } = refundAll(given, transaction, isWhole ? parts : parts.slice(1));
          const back = steps.flatMap(({ reversal }) => reversal?.charges ?? []);
          for (const charge of transaction.charges) {
            expect(returnedOf(back, charge)).toBe(dueOf(claim, charge, original));
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('record a shortfall of exactly the spent points', () => {
    fc.assert(
      fc.property(claims, fc.integer({ min: -50, max: 3_000 }), (claim, availablePoints) => {
        const given = rewardedAs(claim);
        for (const transaction of given.transactions) {
          const more = { policy: 'within_balance', availablePoints } as const;
          const [step] = refundAll(given, transaction, [given.capturedCents], more).steps;
          const short = step?.reversal?.shortfallPoints ?? 0;
          const isPaidBack = transaction.type === 'REDEEM';
          expect(short).toBe(isPaidBack ? 0 : Math.max(0, transaction.points - Math.max(0, availablePoints)));
        }
      }),
    );
  });
});
