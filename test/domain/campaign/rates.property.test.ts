import { describe, expect, it } from 'vitest';
import { maximumAmountCents, maximumPoints } from '../../../shared/contracts/limits.ts';
import { Action } from '../../../shared/domain/campaign/document/campaign.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { calculateAmount } from '../../../shared/domain/campaign/evaluation/reward.ts';
import { fc } from '../../support/fast-check.ts';
import { aCampaign, aFlow, aMultiplier, facts, redeeming } from '../fixtures.ts';

const part = { id: 1, ownerId: 2 };
const actions: fc.Arbitrary<Action> = fc
  .oneof(
    fc.record({ kind: fc.constant('AWARD_POINTS'), pointsPerDollarBp: fc.integer({ min: 0, max: 100_000_000 }) }),
    fc.record({ kind: fc.constant('AWARD_POINTS'), pointsPerEvent: fc.integer({ min: 0, max: 100_000_000 }) }),
    fc.record({ kind: fc.constant('AWARD_CASHBACK'), shareBp: fc.integer({ min: 0, max: 10_000 }) }),
    fc.record({ kind: fc.constant('AWARD_CASHBACK'), centsPerEvent: fc.integer({ min: 0, max: 10_000_000 }) }),
    fc.record({ kind: fc.constant('REDEEM_POINTS'), pointValueMicros: fc.integer({ min: 1, max: 1_000_000_000_000 }) }),
    fc.record({
      kind: fc.constant('TRANSFER_POINTS'),
      fromPartnerId: fc.constant(2),
      toPartnerId: fc.constant(3),
      conversionRateBp: fc.integer({ min: 1, max: 100_000_000 }),
      increment: fc.constant(1),
    }),
  )
  .map((action) => Action.parse({ ...part, ...action }));

const cases = fc.record({
  action: actions,
  /** Spent cents, or transferred points. */
  amount: fc.integer({ min: 0, max: maximumAmountCents }),
  factorsBp: fc.array(fc.integer({ min: 1, max: 10_000_000 }), { maxLength: 4 }),
});
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

/** Whether the action's rate is per event. */
const isPerEvent = (action: Action) => 'pointsPerEvent' in action || 'centsPerEvent' in action;

/**
 * Evaluates a campaign with one action. Returns the amount of the action, or undefined when the amount is out of range.
 */
function amountBy({ action, amount, factorsBp }: Case): number | undefined {
  const multipliers = factorsBp.map((factorBp) => aMultiplier({ operator: 'IS_NOT_IN', factorBp }));
  const isTransfer = action.kind === 'TRANSFER_POINTS';
  const decision = evaluate(
    aCampaign({ flows: [{ ...aFlow([action], multipliers), trigger: triggerOf(action) }] }),
    facts({
      trigger: triggerOf(action),
      amountCents: isTransfer ? null : amount,
      transferPoints: isTransfer ? amount : null,
    }),
  );
  const outcome = decision.flows[0]?.actions[0];
  return outcome && outcome.points + outcome.cashbackCents;
}

const triggerOf = (action: Action) => ({ type: isPerEvent(action) ? 'REGISTRATION' : 'SPEND' }) as const;

/** A number as numerator and denominator. */
type Fraction = readonly [bigint, bigint];
const times = ([top, bottom]: Fraction, [otherTop, otherBottom]: Fraction): Fraction => [
  top * otherTop,
  bottom * otherBottom,
];
const tenThousandths = (amount = 0): Fraction => [BigInt(amount), 10_000n];
const whole = (amount = 0): Fraction => [BigInt(amount), 1n];

/** An independent model of the rule: exact fractions of dollars, points and cents, rounded once. */
function expected({ action, amount, factorsBp }: Case): bigint {
  const factor = factorsBp.map(tenThousandths).reduce(times, whole(1));
  const dollars: Fraction = [BigInt(amount), 100n];
  if (action.kind === 'REDEEM_POINTS') {
    const [worthTop, worthBottom] = times([BigInt(action.pointValueMicros), 1_000_000n], factor);
    const [top, bottom] = times(dollars, [worthBottom, worthTop]);
    return top % bottom === 0n ? top / bottom : top / bottom + 1n;
  }
  const [top, bottom] = times(factor, baseOf(action, dollars, amount));
  return top / bottom;
}

function baseOf(action: Exclude<Action, { kind: 'REDEEM_POINTS' }>, dollars: Fraction, amount: number): Fraction {
  switch (action.kind) {
    case 'AWARD_POINTS':
      return isPerEvent(action)
        ? whole(action.pointsPerEvent)
        : times(dollars, tenThousandths(action.pointsPerDollarBp));
    case 'AWARD_CASHBACK':
      return isPerEvent(action)
        ? whole(action.centsPerEvent)
        : times(times(dollars, whole(100)), tenThousandths(action.shareBp));
    case 'TRANSFER_POINTS':
      return times(whole(amount), tenThousandths(action.conversionRateBp));
  }
}

describe('any rate', () => {
  it('gives the same points as a model in exact fractions', () => {
    fc.assert(
      fc.property(cases, (one) => {
        fc.pre(one.action.kind !== 'TRANSFER_POINTS' || one.amount > 0);
        const right = expected(one);
        expect(amountBy(one)).toBe(right > BigInt(maximumPoints) ? undefined : Number(right));
      }),
      { numRuns: 2_000 },
    );
  });

  it('makes a payment cost the fewest points that cover the amount', () => {
    const redemptions = fc.tuple(
      fc.integer({ min: 1, max: maximumAmountCents }),
      fc.integer({ min: 100, max: 10 ** 9 }),
    );
    fc.assert(
      fc.property(redemptions, ([amount, valueMicros]) => {
        const cost = amountBy({ action: redeeming(valueMicros), amount, factorsBp: [] }) ?? 0;
        const worth = (count: number) => BigInt(count) * BigInt(valueMicros);
        expect(worth(cost) >= BigInt(amount) * 10_000n).toBe(true);
        expect(worth(cost - 1) < BigInt(amount) * 10_000n).toBe(true);
      }),
    );
  });

  it('gives a safe integer, however many multipliers apply', () => {
    const factors = fc.array(fc.integer({ min: 9_000_000, max: 10_000_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(cases, factors, ({ action, amount }, factorsBp) => {
        const term = { kind: action.kind, baseRate: 100_000_000 };
        const result = calculateAmount(term, { kind: 'CENTS', amount }, factorsBp);
        expect(Number.isSafeInteger(result) && result >= 0).toBe(true);
      }),
    );
  });
});
