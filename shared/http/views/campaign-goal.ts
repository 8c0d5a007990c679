import * as z from 'zod/mini';
import type { Goal } from '../../domain/campaign/document/parts.ts';
import type { GoalProgress } from '../../domain/campaign/evaluation/goal-progress.ts';
import { flag, id } from '../wire.ts';
import { code, goalTypeCodes, operatorCodes, owner } from './campaign-codes.ts';

/** A goal of a template. */
export const CampaignGoal = z.object({
  id,
  partner_id: owner,
  goal_type: code,
  goal_value: z.int(),
  goal_operator: code,
});

/** A goal of a campaign, with its progress. */
export const GoalInProgress = z.object({ ...CampaignGoal.shape, current_value: z.int(), is_reached: flag });

export function goalView({ id: goalId, ownerId, type, target }: Goal): z.input<typeof CampaignGoal> {
  return {
    id: goalId,
    partner_id: ownerId,
    goal_type: goalTypeCodes[type],
    goal_value: target,
    goal_operator: operatorCodes.GREATER_THAN,
  };
}

export function progressView({ goal, current, isReached }: GoalProgress): z.input<typeof GoalInProgress> {
  return { ...goalView(goal), current_value: current, is_reached: isReached ? 1 : 0 };
}
