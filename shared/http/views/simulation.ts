import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import type { Reward } from '../../domain/award/rewards.ts';
import { type Simulation, simulationReasons } from '../../domain/award/simulate.ts';
import { conditionKind } from '../../domain/campaign/document/campaign.ts';
import { limitUnits } from '../../domain/campaign/document/kinds/limits.ts';
import {
  type ActionOutcome,
  type ConditionOutcome,
  type FlowOutcome,
  flowResults,
  type LimitOutcome,
} from '../../domain/campaign/evaluation/decision.ts';
import { flag, id, merchantId, partnerId } from '../wire.ts';
import * as codes from './campaign-codes.ts';
import { toWireUnit } from './campaign-codes.ts';

/** What a campaign would do, and why: the actual and needed values of conditions, and the use of limits. */

const lowerCase = <Word extends string>(word: Word) => word.toLowerCase() as Lowercase<Word>;

const Observed = z.union([z.number(), z.string(), z.array(z.string()), z.null()]);

const SimulatedCondition = z.object({
  id: described('Id of the condition.', id),
  campaign_condition_type: codes.conditionType,
  condition_operator: codes.operator,
  condition_attribute: described(
    'The name of a custom attribute, or PRODUCT, CATEGORY or TAG of items; null for every other type.',
    z.nullable(z.string()),
  ),
  holds: described('1 if the condition holds for this user and event.', flag),
  actual: described(
    'The observed value: amounts in dollars, times in days, everything else as text. Null if it is unknown, or if it is a value of a member and the key has no permission `users:read`.',
    Observed,
  ),
  needed: described('The value that the condition requires. Of a long list, the first values.', Observed),
});

const SimulatedFlow = z.object({
  id: described('Id of the flow.', id),
  result: described('`rewarded`, or the reason why the flow rewards nothing.', z.enum(flowResults.map(lowerCase))),
  condition_groups: described(
    'The condition groups of the flow. All must hold.',
    z.array(
      z.object({
        id: described('Id of the group.', id),
        or_and_operator: codes.logic,
        holds: described('1 if the group holds.', flag),
        conditions: described('The conditions of the group, each with its outcome.', z.array(SimulatedCondition)),
      }),
    ),
  ),
  multipliers: described(
    'The multipliers of the flow.',
    z.array(
      z.object({
        id: described('Id of the multiplier.', id),
        matched: described('1 if the multiplier scales this reward.', flag),
        multiplier_amount: described('Factor of the base rate: 1.5 is half as much again.', z.number()),
      }),
    ),
  ),
  limits: described(
    'The limits of the flow, each with its use and effect.',
    z.array(
      z.object({
        id: described('Id of the limit.', id),
        limit_type: codes.limitType,
        min_max: codes.bound,
        campaign_limit_trigger_type: codes.limitUnit,
        campaign_limit_value: described(
          'The limit, in events, points or dollars: see campaign_limit_trigger_type.',
          z.number(),
        ),
        period: described(
          'The calendar period of the limit; null for limits of one transaction.',
          z.nullable(z.string()),
        ),
        used: described(
          "Use of the limit in this period before the event: 0 for limits of one transaction, null if it is a member's and the key has no permission `users:read`.",
          z.nullable(z.number()),
        ),
        effect: described(
          'none: no effect. capped: the limit makes the reward smaller. refused: it prevents the reward.',
          z.enum(['none', 'capped', 'refused']),
        ),
      }),
    ),
  ),
  counted_cents: described(
    'The cents that the flow rewards, if they are not the whole amount; otherwise null.',
    z.nullable(z.int()),
  ),
  actions: described(
    'What each action would award or take.',
    z.array(
      z.object({
        id: described('Id of the action.', id),
        action_type: codes.actionType,
        points: described('Points of this action.', z.int()),
        cashback_cents: described('Awarded money, in cents.', z.int()),
        capped_from: described(
          'The amount without maximum limits; null when no limit reduced it.',
          z.nullable(z.int()),
        ),
      }),
    ),
  ),
});

export const SimulatedCampaign = z.object({
  campaign_id: described('Id of the campaign.', id),
  campaign_version: described('Increases with every approved edit.', z.int()),
  name: described('Display name.', z.string()),
  campaign_type: codes.campaignType,
  merchant_id: merchantId,
  partner_id: partnerId,
  is_rewarded: described('1 if the campaign would award or take something.', flag),
  reason: described(
    'Why the campaign does not reward the event; null when it does. not_qualified: `flows` has the reasons. only_by_request: points are paid or moved by endpoint 1 only.',
    z.nullable(z.enum(simulationReasons)),
  ),
  rewards: described(
    'What the campaign would award or take; empty when it does nothing.',
    z.array(
      z.object({
        flow_id: described('The flow of the campaign that gives the reward.', id),
        action_id: described('The action of the campaign that gives the reward.', id),
        transaction_type: described('1 EARN, 2 REDEEM.', z.int()),
        partner_id: partnerId,
        points: described('Points that would be awarded or taken.', z.int()),
        cashback_cents: described('Awarded money, in cents.', z.int()),
      }),
    ),
  ),
  flows: described(
    'The flows of the campaign, each with its outcome. Empty if nothing was evaluated.',
    z.array(SimulatedFlow),
  ),
});

/** The part of a caller's permissions that a simulation depends on. */
interface Viewer {
  readonly seesMembers: boolean;
}

/** The simulation of a campaign on the wire. */
export function simulationView(
  { campaign, reason, rewards, decision }: Simulation,
  viewer: Viewer,
): z.input<typeof SimulatedCampaign> {
  return {
    campaign_id: campaign.id,
    campaign_version: campaign.version,
    name: campaign.name,
    campaign_type: codes.campaignTypeCodes[campaign.type],
    merchant_id: campaign.merchantId,
    partner_id: campaign.partnerId,
    is_rewarded: reason === null ? 1 : 0,
    reason,
    rewards: rewards.map(rewardView),
    flows: (decision?.flows ?? []).map((flow) => flowView(flow, viewer)),
  };
}

function rewardView({ flowId, actionId, type, partnerId, points, cashbackCents }: Reward) {
  return {
    flow_id: flowId,
    action_id: actionId,
    transaction_type: type === 'EARN' ? 1 : 2,
    partner_id: partnerId,
    points,
    cashback_cents: cashbackCents,
  };
}

function flowView(flow: FlowOutcome, viewer: Viewer) {
  const { flowId, result, groups, multipliers, limits, actions, countedCents = null } = flow;
  return {
    id: flowId,
    result: lowerCase(result),
    condition_groups: groups.map(({ groupId, logic, holds, conditions }) => ({
      id: groupId,
      or_and_operator: codes.logicCodes[logic],
      holds: flagOf(holds),
      conditions: conditions.map((condition) => conditionView(condition, viewer)),
    })),
    multipliers: multipliers.map(({ multiplierId, matched, factorBp }) => ({
      id: multiplierId,
      matched: flagOf(matched),
      multiplier_amount: factorBp / 10_000,
    })),
    limits: limits.map((limit) => limitView(limit, viewer)),
    counted_cents: countedCents,
    actions: actions.map(actionView),
  };
}

const flagOf = (value: boolean) => (value ? (1 as const) : (0 as const));

function conditionView(
  { conditionId, attribute, name, operator, holds, actual, needed }: ConditionOutcome,
  { seesMembers }: Viewer,
) {
  const { unit, observes } = conditionKind(attribute);
  return {
    id: conditionId,
    campaign_condition_type: codes.conditionTypeCodes[attribute],
    condition_operator: codes.operatorCodes[operator],
    condition_attribute: name ?? null,
    holds: flagOf(holds),
    actual: seesMembers || observes === 'event' ? toWireUnit(actual, unit) : null,
    needed: toWireUnit(needed, unit),
  };
}

function limitView(
  { limitId, kind, bound, unit: limitUnit, amount, period, used, effect }: LimitOutcome,
  { seesMembers }: Viewer,
) {
  const { unit } = limitUnits[limitUnit];
  return {
    id: limitId,
    limit_type: codes.limitTypeCodes[kind],
    min_max: codes.boundCodes[bound],
    campaign_limit_trigger_type: codes.limitUnitCodes[limitUnit],
    campaign_limit_value: toWireUnit(amount, unit),
    period,
    used: seesMembers || kind === 'TRANSACTION' ? toWireUnit(used, unit) : null,
    effect: lowerCase(effect),
  };
}

function actionView({ actionId, kind, points, cashbackCents, cappedFrom }: ActionOutcome) {
  return {
    id: actionId,
    action_type: codes.actionTypeCodes[kind],
    points,
    cashback_cents: cashbackCents,
    capped_from: cappedFrom,
  };
}
