import { describe, expect, it } from 'vitest';
import { Action } from '../../shared/domain/campaign/action.ts';
import { Decision } from '../../shared/domain/campaign/decision.ts';
import { evaluate } from '../../shared/domain/campaign/evaluate.ts';
import { Multiplier } from '../../shared/domain/campaign/multiplier.ts';
import { maximumAmountCents, maximumPoints } from '../../shared/domain/money.ts';
import { fc } from '../support/fast-check.ts';
import { aCampaign, aFlow, aMultiplier, earning, facts, redeeming } from './fixtures.ts';

const amounts = fc.integer({ min: 0, max: maximumAmountCents });
const tiers = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null });
const actions = fc.oneof(
  fc.integer({ min: 0, max: 100_000_000 }).map((rateBp) => earning(rateBp)),
  fc.integer({ min: 1, max: 1_000_000_000_000 }).map((valueMicros) => redeeming(valueMicros)),
);
const multipliers = fc.array(
  fc.record({
    operator: fc.constantFrom('IS_IN' as const, 'IS_NOT_IN' as const),
    statusTierIds: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    factorBp: fc.integer({ min: 1, max: 10_000_000 }),
  }),
  { maxLength: 4 },
);
const cases = fc.record({ action: actions, amountCents: amounts, statusTierId: tiers, multipliers });
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

function decide({ action, amountCents, statusTierId, multipliers: chosen }: Case) {
  const flow = aFlow([action], chosen.map(aMultiplier));
  return evaluate(aCampaign({ flows: [flow] }), facts({ amountCents, statusTierId }));
}

const points = (one: Case) => decide(one).flows[0]?.actions[0]?.points;

/** The rule said again with fractions, far from the code: numerator and denominator, rounded by the definition. */
function expected({ action, amountCents, statusTierId, multipliers: chosen }: Case): bigint {
  let [top, bottom] = [BigInt(amountCents), 100n];
  const rate = { top: 1n, bottom: 1n };
  for (const { operator, statusTierIds, factorBp } of chosen) {
    const isIn = statusTierId !== null && new Set(statusTierIds).has(statusTierId);
    if (isIn !== (operator === 'IS_IN')) continue;
    rate.top *= BigInt(factorBp);
    rate.bottom *= 10_000n;
  }
  if (action.kind === 'AWARD_POINTS') {
    top *= BigInt(action.pointsPerDollarBp ?? 0) * rate.top;
    bottom *= 10_000n * rate.bottom;
    return top / bottom;
  }
  if (action.kind !== 'REDEEM_POINTS') throw new Error(`${action.kind} is not tried here`);
  top *= 1_000_000n * rate.bottom;
  bottom *= BigInt(action.pointValueMicros) * rate.top;
  return top % bottom === 0n ? top / bottom : top / bottom + 1n;
}

describe('evaluate, for any campaign, member and amount', () => {
  it('agrees with the rule in fractions', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const right = expected(one);
        expect(points(one)).toBe(right > BigInt(maximumPoints) ? undefined : Number(right));
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives whole points that can be stored, or refuses', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const decision = decide(one);
        expect(Decision.safeParse(decision).success).toBe(true);
        expect(decision.refused === 'points_out_of_range').toBe(decision.flows.length === 0);
      }),
    );
  });

  it('never gives less for a larger amount', () => {
    fc.assert(
      fc.property(cases, amounts, (one, more) => {
        const larger = { ...one, amountCents: Math.min(maximumAmountCents, one.amountCents + more) };
        expect(points(larger) ?? maximumPoints).toBeGreaterThanOrEqual(points(one) ?? maximumPoints);
      }),
    );
  });

  it('does not depend on the order of multipliers', () => {
    const shuffled = cases.chain((one) =>
      fc.tuple(fc.constant(one), fc.shuffledSubarray(one.multipliers, { minLength: one.multipliers.length })),
    );
    fc.assert(
      fc.property(shuffled, ([one, reordered]) => {
        expect(points({ ...one, multipliers: reordered })).toBe(points(one));
      }),
    );
  });

  it('is the same every time, and changes nothing that it is given', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const before = structuredClone(one);
        expect(decide(one)).toEqual(decide(one));
        expect(one).toEqual(before);
      }),
    );
  });

  it('never pays a purchase with too few points, nor with one more than it takes', () => {
    const redemptions = fc.tuple(amounts.filter(Boolean), fc.integer({ min: 100, max: 1_000_000_000 }));
    fc.assert(
      fc.property(redemptions, ([amountCents, valueMicros]) => {
        const cost = points({ action: redeeming(valueMicros), amountCents, statusTierId: null, multipliers: [] }) ?? 0;
        const worth = (count: number) => BigInt(count) * BigInt(valueMicros);
        expect(worth(cost) >= BigInt(amountCents) * 10_000n).toBe(true);
        expect(worth(cost - 1) < BigInt(amountCents) * 10_000n).toBe(true);
      }),
    );
  });

  it('is tried with actions and multipliers that the schema takes', () => {
    fc.assert(
      fc.property(cases, (one) => {
        expect(Action.safeParse(one.action).success).toBe(true);
        expect(one.multipliers.every((chosen) => Multiplier.safeParse(aMultiplier(chosen)).success)).toBe(true);
      }),
    );
  });
});
