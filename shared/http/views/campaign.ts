import * as z from 'zod/mini';
import { describeCodes, described } from '../../contracts/described.ts';
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
import { datetime, flag, id, isDeleted, merchantId, partnerId } from '../wire.ts';
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
  id: described('Id of the goal.', id),
  partner_id: owner,
  goal_type: codes.goalType,
  goal_value: described('Target of the goal.', z.int()),
  goal_operator: described('3 GREATER_THAN.', code),
});

/** A goal of a campaign, with its progress. */
const GoalInProgress = z.object({
  ...CampaignGoal.shape,
  current_value: described('The current value of the counted quantity.', z.int()),
  is_reached: described('1 the target is reached, 0 not yet.', flag),
});

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
  id: described('Id of the campaign.', id),
  name: described('Display name of the campaign.', z.string()),
  description: described('Description; null without one.', z.nullable(z.string())),
  campaign_logo: described('URL of the logo; null without one.', z.nullable(z.string())),
  campaign_type: described(`${describeCodes(codes.campaignTypeCodes)}.`, z.int().check(z.gte(1), z.lte(4))),
  trigger_type: described(
    'Trigger of the first flow; null without a flow.',
    z.nullable(z.int().check(z.gte(1), z.lte(4))),
  ),
  merchant_id: merchantId,
  partner_id: partnerId,
  base_reward: described(
    'Rate of the first action of the first flow: points (or dollars of cashback) per dollar, or per event without an amount; dollars per point of a redemption; points per point of a transfer. Null without a flow or action.',
    z.nullable(z.number()),
  ),
  start_date: described('Start of the campaign.', datetime),
  end_date: described('End of the campaign; null if it runs until it is ended.', z.nullable(datetime)),
  total_rewards: described(
    'All points that the campaign has awarded and redeemed since its start. Reversals are subtracted; cashback is not included.',
    z.int(),
  ),
  total_cashback_cents: described('Money that campaigns awarded; not part of any other total.', z.int()),
  total_registrations: described('Members who linked an account through the campaign, or while it ran.', z.int()),
  goals: described('The goals of the campaign, with their progress.', z.array(GoalInProgress)),
  is_active: described('1 if the campaign runs now: approved, inside its dates, not paused. Otherwise 0.', flag),
  is_deleted: isDeleted,
  owner_id: described('Organisation that owns the campaign.', id),
  created_date: described('Time at which the campaign was created.', datetime),
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
  id: described('Id of the action.', id),
  action_type: codes.actionType,
  partner_id: owner,
  base_reward: described(
    'Rate of the action: points (or dollars of cashback) per dollar, or per event without an amount; dollars per point of a redemption; points per point of a transfer.',
    z.number(),
  ),
  extra_data: described(
    'Of a transfer: the two programs and the increment. Empty for other actions.',
    z.record(z.string(), z.unknown()),
  ),
});

const FlowCondition = z.object({
  id: described('Id of the condition.', id),
  partner_id: owner,
  campaign_condition_type: codes.conditionType,
  condition_operator: codes.operator,
  or_and_operator: codes.logic,
  condition_group_id: described('Conditions with the same number are one group. All groups must hold.', id),
  condition_attribute: described(
    'The name of a custom attribute, or PRODUCT, CATEGORY or TAG of items; null for every other type.',
    z.nullable(z.string()),
  ),
  condition_value: described(
    'A list of texts, an amount in dollars, a number of days, or a number.',
    z.union([z.array(z.string()), z.number()]),
  ),
});

const FlowMultiplier = z.object({
  id: described('Id of the multiplier.', id),
  partner_id: owner,
  multiplier_attribute_type: codes.multiplierAttribute,
  multiplier_attribute: described('The name of a custom attribute; null for status tiers.', z.nullable(z.string())),
  multiplier_operator: described('1 IS_IN, 2 IS_NOT_IN.', code),
  multiplier_amount: described('Factor of the base rate: 1.5 is half as much again.', z.number()),
  multiplier_value: described(
    'Status tiers, or values of the attribute.',
    z.union([z.array(z.int()), z.array(z.string())]),
  ),
});

const FlowLimit = z.object({
  id: described('Id of the limit.', id),
  partner_id: owner,
  limit_type: codes.limitType,
  min_max: codes.bound,
  campaign_limit_value: described(
    'The limit, in events, points or dollars: see campaign_limit_trigger_type.',
    z.number(),
  ),
  campaign_limit_trigger_type: codes.limitUnit,
  campaign_limit_trigger_time_range: described(`${describeCodes(codes.periodCodes)}.`, z.nullable(code)),
});

export const CampaignFlow = z.object({
  id: described('Id of the flow.', id),
  campaign_id: described('Campaign or template that the flow belongs to.', id),
  trigger_type: codes.triggerType,
  is_active: described('1 active, 0 not active.', flag),
  is_deleted: isDeleted,
  created_date: described('Time at which the campaign or template of the flow was created.', datetime),
  custom_trigger_id: described('The trigger of a custom action; null for other triggers.', z.nullable(id)),
  amount_field: described(
    "The field of the event's context that is rewarded by the dollar; null if the event itself is rewarded.",
    z.nullable(z.string()),
  ),
  actions: described('What the flow awards, redeems or transfers.', z.array(FlowAction)),
  conditions: described('The conditions of the flow; empty if all members qualify.', z.array(FlowCondition)),
  multipliers: described('The multipliers of the flow.', z.array(FlowMultiplier)),
  limits: described('The limits of the flow; empty without limits.', z.array(FlowLimit)),
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
