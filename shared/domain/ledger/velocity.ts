import type { VelocityRule } from '../organisation.ts';
import { periodOf } from '../period.ts';
import type { Review, RewardTransaction, RuleCount } from './reward-transaction.ts';

/** Velocity rules: how many rewards, points or cents an account may receive in one reward, an hour, a day or a week. */

/** The name of a rule, under which its counters are stored: `POINTS_PER_DAY`. */
export const ruleName = ({ unit, window }: Pick<VelocityRule, 'unit' | 'window'>): string => `${unit}_PER_${window}`;

/** The room that a reward needs under one rule: its count, and the most that the counter may show afterwards. */
export interface NeededRoom extends RuleCount {
  readonly most: number;
}

/**
 * The room that a reward needs under each rule. The window contains the time at which the reward was made, so a late or
 * repeated posting counts in the same window. Cashback counts as a reward and as cents, but not as points.
 */
export function neededRoom(
  rules: readonly VelocityRule[],
  reward: Pick<RewardTransaction, 'points' | 'cashbackCents' | 'createdAt'>,
): NeededRoom[] {
  return rules
    .map((rule) => ({
      rule: ruleName(rule),
      window: windowOf(rule.window, reward.createdAt),
      amount: amountIn(rule.unit, reward),
      most: rule.most,
    }))
    .filter(({ amount }) => amount > 0);
}

const amountIn = (
  unit: VelocityRule['unit'],
  { points, cashbackCents }: Pick<RewardTransaction, 'points' | 'cashbackCents'>,
): number => ({ REWARDS: 1, POINTS: points, CENTS: cashbackCents })[unit];

/** The window of rules about one reward. It has no counter. */
const oneReward = 'REWARD';

/** Whether a counter adds up the rewards of the window. */
export const isCounted = ({ window }: Pick<RuleCount, 'window'>): boolean => window !== oneReward;

/**
 * The window that contains an instant, in UTC. An hour begins on the full hour, a day at midnight, and a week at
 * midnight on Monday.
 */
function windowOf(window: VelocityRule['window'], instant: string): string {
  if (window === 'REWARD') return oneReward;
  return window === 'HOUR' ? new Date(instant).toISOString().slice(0, 13) : periodOf(window, instant, 'UTC');
}

/** The rules that leave no room for a reward. An absent counter shows zero. */
export const breachesOf = (needed: readonly NeededRoom[], usedOf: (count: RuleCount) => number): Review['breaches'] =>
  needed.flatMap((room) => {
    const used = usedOf(room);
    return used + room.amount > room.most ? [{ ...room, used }] : [];
  });

/** Replaces the rule with the same unit and window, or adds it. */
export function withRule(rules: readonly VelocityRule[], rule: VelocityRule): VelocityRule[] {
  return [...withoutRule(rules, rule), rule].toSorted((one, other) => (ruleName(one) < ruleName(other) ? -1 : 1));
}

/** Removes the rule with this unit and window. */
export const withoutRule = (
  rules: readonly VelocityRule[],
  removed: Pick<VelocityRule, 'unit' | 'window'>,
): VelocityRule[] => rules.filter((one) => ruleName(one) !== ruleName(removed));
