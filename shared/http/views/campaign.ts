import * as z from 'zod/mini';
import {
  type Action,
  actionKind,
  type Campaign,
  type Condition,
  type ConditionGroup,
  conditionKind,
  type Flow,
  type Goal,
  type GoalProgress,
  isRunning,
  type Limit,
  type Multiplier,
  measureProgress,
  multiplierKind,
} from '../../domain/campaign/document/campaign.ts';
import { type FlowTrigger, isByDollar } from '../../domain/campaign/document/facts.ts';
import { limitUnits } from '../../domain/campaign/document/kinds/limits.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import { datetime, flag, id } from '../wire.ts';
import * as codes from './campaign-codes.ts';
import {
  campaignTypeCodes,
  code,
  goalTypeCodes,
  operatorCodes,
  owner,
  toWireUnit,
  triggerTypeCodes,
} from './campaign-codes.ts';

/** A goal of a template. */
export const CampaignGoal = z.object({
  id,
  partner_id: owner,
  goal_type: code,
  goal_value: z.int(),
  goal_operator: code,
});

/** A goal of a campaign, with its progress. */
const GoalInProgress = z.object({ ...CampaignGoal.shape, current_value: z.int(), is_reached: flag });

export function goalView({ id: goalId, ownerId, type, target }: Goal): z.input<typeof CampaignGoal> {
  return {
    id: goalId,
    partner_id: ownerId,
    goal_type: goalTypeCodes[type],
    goal_value: target,
    goal_operator: operatorCodes.GREATER_THAN,
  };
}

function progressView({ goal, current, isReached }: GoalProgress): z.input<typeof GoalInProgress> {
  return { ...goalView(goal), current_value: current, is_reached: isReached ? 1 : 0 };
}

/** A campaign in a list: endpoint 9, and the campaigns of endpoint 6. */
export const ListedCampaign = z.object({
  id,
  name: z.string(),
  description: z.nullable(z.string()),
  campaign_logo: z.nullable(z.string()),
  /** 1 EARN, 2 REDEEM, 3 CONNECT_ONLY, 4 TRANSFER. */
  campaign_type: z.int().check(z.gte(1), z.lte(4)),
  /** 1 SPEND, 2 REGISTRATION, 3 REFERRAL, 4 CUSTOM; null when the campaign has no flow. */
  trigger_type: z.nullable(z.int().check(z.gte(1), z.lte(4))),
  merchant_id: id,
  partner_id: id,
  base_reward: z.nullable(z.number()),
  start_date: datetime,
  end_date: z.nullable(datetime),
  total_rewards: z.int(),
  /** Our additions: money awarded, members registered, and the progress of the goals. */
  total_cashback_cents: z.int(),
  total_registrations: z.int(),
  goals: z.array(GoalInProgress),
  is_active: flag,
  is_deleted: flag,
  owner_id: id,
  created_date: datetime,
});

/** A listed campaign for the examples of contracts. */
export const listedExample: z.input<typeof ListedCampaign> = {
  id: 7,
  name: 'Two points a dollar',
  description: 'Two points for every dollar, and half as much again for gold members.',
  campaign_logo: null,
  campaign_type: 1,
  trigger_type: 1,
  merchant_id: 1,
  partner_id: 2,
  base_reward: 2,
  start_date: '2026-01-01T00:00:00.000Z',
  end_date: null,
  total_rewards: 1270,
  total_cashback_cents: 0,
  total_registrations: 0,
  goals: [],
  is_active: 1,
  is_deleted: 0,
  owner_id: 1,
  created_date: '2025-12-15T10:00:00.000Z',
};

/** A campaign in a list, as of `now`. */
export function listedView(campaign: Campaign, totals: Totals, now: Date): z.input<typeof ListedCampaign> {
  const [flow] = campaign.flows;
  return {
    id: campaign.id,
    name: campaign.name,
    description: campaign.description,
    campaign_logo: campaign.logo,
    campaign_type: campaignTypeCodes[campaign.type],
    trigger_type: flow ? triggerTypeCodes[flow.trigger.type] : null,
    merchant_id: campaign.merchantId,
    partner_id: campaign.partnerId,
    base_reward: baseReward(campaign),
    start_date: campaign.startsAt,
    end_date: campaign.endsAt,
    total_rewards: totals.earnedPoints + totals.redeemedPoints,
    total_cashback_cents: totals.cashbackCents,
    total_registrations: totals.registrations,
    goals: measureProgress(campaign.goals, totals).map(progressView),
    is_active: isRunning(campaign, now) ? 1 : 0,
    is_deleted: campaign.isDeleted ? 1 : 0,
    owner_id: campaign.ownerId,
    created_date: campaign.createdAt,
  };
}

function baseReward({ flows: [flow] }: Campaign): number | null {
  const action = flow?.actions[0];
  return flow && action ? baseRewardOf(action, flow.trigger) : null;
}

/**
 * The base rate as people read it: points or dollars of cashback, per dollar or per event; for a redemption, dollars
 * per point; for a transfer, points per point.
 */
function baseRewardOf(action: Action, trigger: FlowTrigger): number {
  const { baseRate, rateUnit } = actionKind(action.kind);
  const scale = 10 ** rateUnit.decimals * (rateUnit.of === 'cent' ? 100 : 1);
  return baseRate(action, isByDollar(trigger)) / scale;
}

/** Flows as the specification writes them: condition groups are flat, and numbers stand for words. */

const FlowAction = z.object({
  id,
  action_type: code,
  partner_id: owner,
  base_reward: z.number(),
  extra_data: z.record(z.string(), z.unknown()),
});

const FlowCondition = z.object({
  id,
  partner_id: owner,
  campaign_condition_type: code,
  condition_operator: code,
  /** The logic of the condition's group: 1 any, 2 all. */
  or_and_operator: code,
  /** Our addition: conditions with the same number form a group. All groups have to hold. */
  condition_group_id: id,
  /** The name of a custom attribute or of an attribute of items; null for conditions whose type names the attribute. */
  condition_attribute: z.nullable(z.string()),
  /** A list of texts, an amount in dollars, a number of days, or a number. */
  condition_value: z.union([z.array(z.string()), z.number()]),
});

const FlowMultiplier = z.object({
  id,
  partner_id: owner,
  multiplier_attribute_type: code,
  multiplier_attribute: z.nullable(z.string()),
  /** Our addition: 1 IS_IN, 2 IS_NOT_IN. */
  multiplier_operator: code,
  multiplier_amount: z.number(),
  /** Status tiers, or the values of the attribute. */
  multiplier_value: z.union([z.array(z.int()), z.array(z.string())]),
});

const FlowLimit = z.object({
  id,
  partner_id: owner,
  limit_type: code,
  min_max: code,
  /** Events, points or dollars. */
  campaign_limit_value: z.number(),
  campaign_limit_trigger_type: code,
  /** Null for limits of one transaction. */
  campaign_limit_trigger_time_range: z.nullable(code),
});

export const CampaignFlow = z.object({
  id,
  campaign_id: id,
  trigger_type: code,
  is_active: flag,
  is_deleted: flag,
  created_date: datetime,
  custom_trigger_id: z.nullable(id),
  /**
   * Our addition: the field of the event's context that has the rewarded amount in dollars. Null if the flow rewards
   * the event itself and no amount.
   */
  amount_field: z.nullable(z.string()),
  actions: z.array(FlowAction),
  conditions: z.array(FlowCondition),
  multipliers: z.array(FlowMultiplier),
  limits: z.array(FlowLimit),
});

/** A flow of a campaign or template on the wire. */
export function flowView(
  flow: Flow,
  { id: campaignId, createdAt }: { readonly id: number; readonly createdAt: string },
): z.input<typeof CampaignFlow> {
  return {
    id: flow.id,
    campaign_id: campaignId,
    trigger_type: codes.triggerTypeCodes[flow.trigger.type],
    is_active: 1,
    is_deleted: 0,
    created_date: createdAt,
    custom_trigger_id: flow.trigger.type === 'CUSTOM' ? flow.trigger.customTriggerId : null,
    amount_field: (flow.trigger.type === 'CUSTOM' && flow.trigger.amountField) || null,
    actions: flow.actions.map((action) => actionView(action, flow)),
    conditions: flow.conditionGroups.flatMap((group) => group.conditions.map((each) => conditionView(each, group))),
    multipliers: flow.multipliers.map(multiplierView),
    limits: flow.limits.map(limitView),
  };
}

function actionView(action: Action, { trigger }: Flow) {
  return {
    id: action.id,
    action_type: codes.actionTypeCodes[action.kind],
    partner_id: action.ownerId,
    base_reward: baseRewardOf(action, trigger),
    extra_data: extraData(action),
  };
}

/** The programs of a transfer, and the increment of an action that takes points; empty for every other action. */
function extraData(action: Action): Record<string, unknown> {
  const kind = actionKind(action.kind);
  const [route, increment] = [kind.route(action), kind.step(action)];
  return {
    ...(route && { from_partner_id: route.fromPartnerId, to_partner_id: route.toPartnerId }),
    ...(increment !== null && { increment }),
  };
}

function conditionView(condition: Condition, { id: groupId, logic }: ConditionGroup) {
  const { needed, unit } = conditionKind(condition.attribute);
  const value = needed(condition);
  return {
    id: condition.id,
    partner_id: condition.ownerId,
    campaign_condition_type: codes.conditionTypeCodes[condition.attribute],
    condition_operator: codes.operatorCodes[condition.operator],
    or_and_operator: codes.logicCodes[logic],
    condition_group_id: groupId,
    condition_attribute: 'name' in condition ? condition.name : null,
    condition_value: typeof value === 'number' ? toWireUnit(value, unit) : [...value],
  };
}

function multiplierView(multiplier: Multiplier) {
  return {
    id: multiplier.id,
    partner_id: multiplier.ownerId,
    multiplier_attribute_type: codes.multiplierAttributeCodes[multiplier.attribute],
    multiplier_attribute: 'name' in multiplier ? multiplier.name : null,
    multiplier_operator: codes.operatorCodes[multiplier.operator],
    multiplier_amount: multiplier.factorBp / 10_000,
    multiplier_value: multiplierKind(multiplier.attribute).listed(multiplier),
  };
}

function limitView(limit: Limit) {
  return {
    id: limit.id,
    partner_id: limit.ownerId,
    limit_type: codes.limitTypeCodes[limit.kind],
    min_max: codes.boundCodes[limit.bound],
    campaign_limit_value: toWireUnit(limit.amount, limitUnits[limit.unit].unit),
    campaign_limit_trigger_type: codes.limitUnitCodes[limit.unit],
    campaign_limit_trigger_time_range: 'period' in limit ? codes.periodCodes[limit.period] : null,
  };
}
