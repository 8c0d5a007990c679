import type { Totals } from '../../ledger/totals.ts';
import type { Goal } from '../document/limit.ts';

/** How far a goal is. */
export interface GoalProgress {
  readonly goal: Goal;
  /** What there is of what the goal counts. */
  readonly current: number;
  readonly isReached: boolean;
}

/** How far the goals of a campaign are by its totals. */
export function progressOf(goals: readonly Goal[], totals: Totals): GoalProgress[] {
  return goals.map((goal) => {
    const current = countedFor(goal, totals);
    return { goal, current, isReached: current >= goal.target };
  });
}

function countedFor({ type }: Goal, totals: Totals): number {
  switch (type) {
    case 'REGISTRATIONS':
      return totals.registrations;
    case 'POINTS_EARNED':
      return totals.earnedPoints;
    case 'POINTS_REDEEMED':
      return totals.redeemedPoints;
  }
}
