import { type Goal, goalKind } from '../document/campaign.ts';
import type { CountedTotals } from '../document/kinds/goals.ts';

/** The progress towards a goal. */
export interface GoalProgress {
  readonly goal: Goal;
  /** The campaign's total that the goal counts. */
  readonly current: number;
  readonly isReached: boolean;
}

/** Compares the goals of a campaign with its totals. */
export function measureProgress(goals: readonly Goal[], totals: CountedTotals): GoalProgress[] {
  return goals.map((goal) => {
    const current = goalKind(goal.type).current(totals);
    return { goal, current, isReached: current >= goal.target };
  });
}
