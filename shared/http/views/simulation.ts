import * as z from 'zod/mini';
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
import { flag, id } from '../wire.ts';
import * as codes from './campaign-codes.ts';
import { code, toWireUnit } from './campaign-codes.ts';

/** What a campaign would do, and why: the actual and needed values of conditions, and the use of limits. */

const lowerCase = <Word extends string>(word: Word) => word.toLowerCase() as Lowercase<Word>;

const Observed = z.union([z.number(), z.string(), z.array(z.string()), z.null()]);

const SimulatedCondition = z.object({
  id,
  campaign_condition_type: code,
  condition_operator: code,
  /** The name of a custom attribute or of an attribute of items; null for conditions whose type names the attribute. */
  condition_attribute: z.nullable(z.string()),
  holds: flag,
  /**
   * The observed value: amounts in dollars, times in days, everything else as text. Null if it is unknown, or if it is
   * a value of a member and the key has no permission `users:read`.
   */
  actual: Observed,
  /** The value that the condition requires; for a long list, its first values. */
  needed: Observed,
});

const SimulatedFlow = z.object({
  id,
  /** `rewarded`, or the reason why not. */
  result: z.enum(flowResults.map(lowerCase)),
  condition_groups: z.array(
    z.object({ id, or_and_operator: code, holds: flag, conditions: z.array(SimulatedCondition) }),
  ),
  multipliers: z.array(z.object({ id, matched: flag, multiplier_amount: z.number() })),
  limits: z.array(
    z.object({
      id,
      limit_type: code,
      min_max: code,
      campaign_limit_trigger_type: code,
      /** Events, points or dollars. */
      campaign_limit_value: z.number(),
      /** The calendar period; null for a limit of one transaction. */
      period: z.nullable(z.string()),
      /**
       * The limit usage of the period, without this event. 0 for a limit of one transaction. Null for a member's limit
       * if the key has no permission `users:read`.
       */
      used: z.nullable(z.number()),
      /** `capped`: the limit makes the reward smaller. `refused`: it prevents the reward. */
      effect: z.enum(['none', 'capped', 'refused']),
    }),
  ),
  /**
   * The counted amount: the cents of chosen items, or an amount in the event's context. Null if the flow rewards the
   * whole amount.
   */
  counted_cents: z.nullable(z.int()),
  actions: z.array(
    z.object({
      id,
      action_type: code,
      points: z.int(),
      cashback_cents: z.int(),
      /** The amount before limits made it smaller; null when none did. */
      capped_from: z.nullable(z.int()),
    }),
  ),
});

export const SimulatedCampaign = z.object({
  campaign_id: id,
  campaign_version: z.int(),
  name: z.string(),
  campaign_type: code,
  merchant_id: id,
  partner_id: id,
  is_rewarded: flag,
  /**
   * Why the campaign does not reward the event; null when it does. `not_qualified`: `flows` has the reasons.
   * `only_by_request`: points are paid or moved by endpoint 1 only.
   */
  reason: z.nullable(z.enum(simulationReasons)),
  rewards: z.array(
    z.object({
      flow_id: id,
      action_id: id,
      transaction_type: z.int(),
      partner_id: id,
      points: z.int(),
      cashback_cents: z.int(),
    }),
  ),
  flows: z.array(SimulatedFlow),
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
