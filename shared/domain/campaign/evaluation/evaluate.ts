import { maximumPoints } from '../../../contracts/limits.ts';
import { timeOf } from '../../period.ts';
import { type Campaign, type Flow, isRunning } from '../document/campaign.ts';
import { type Facts, triggerMatches, type Usage } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import {
  type Action,
  actionKind,
  type Condition,
  type ConditionGroup,
  conditionKind,
  type Multiplier,
  multiplierKind,
} from '../document/parts.ts';
import type { ActionOutcome, ConditionOutcome, Decision, FlowOutcome, FlowResult, GroupOutcome } from './decision.ts';
import { applyLimits, baseOf, countedOf, type FlowReward, limitsAt, measureOf, rewardOf } from './reward.ts';

/**
 * Decides what a campaign gives for some facts, with the reason for everything. Pure and total: equal
 * arguments give equal decisions, and no argument makes it throw.
 *
 * @param usage what the member used of the campaign's limits before
 */
export function evaluate(campaign: Campaign, facts: Facts, usage: Usage = {}): Decision {
  const decided = { campaignId: campaign.id, campaignVersion: campaign.version, facts };
  const refused = refusalOf(campaign, facts);
  if (refused) return { ...decided, refused, flows: [] };

  const flows = campaign.flows.map((flow) => evaluateFlow(flow, facts, usage));
  if (!areCountable(flows)) return { ...decided, refused: 'points_out_of_range', flows: [] };
  return { ...decided, refused: null, flows };
}

function refusalOf(campaign: Campaign, facts: Facts): Decision['refused'] {
  if (!facts.partnershipIsActive) return 'partnership_not_active';
  return isRunning(campaign, new Date(timeOf(facts.occurredAt))) ? null : 'campaign_not_running';
}

/** Rates that are valid one by one can make more points together than numbers hold exactly. */
function areCountable(flows: readonly FlowOutcome[]): boolean {
  const total = flows.reduce(
    (sum, { actions }) => actions.reduce((all, { points, cashbackCents }) => all + points + cashbackCents, sum),
    0,
  );
  return total <= maximumPoints;
}

function evaluateFlow(flow: Flow, facts: Facts, usage: Usage): FlowOutcome {
  if (!triggerMatches(facts.trigger, flow.trigger)) return unrewarded(flow, 'OTHER_TRIGGER');

  const groups = flow.conditionGroups.map((group) => evaluateGroup(group, facts));
  if (!groups.every(({ holds }) => holds)) return unrewarded(flow, 'NOT_QUALIFIED', { groups });

  const multipliers = flow.multipliers.map((multiplier) => ({
    multiplierId: multiplier.id,
    matched: isMatching(multiplier, facts),
    factorBp: multiplier.factorBp,
  }));
  return rewarded(flow, facts, { groups, multipliers, limits: limitsAt(flow.limits, facts, usage) });
}

/** What is known about a flow whose conditions hold. */
type Qualified = Pick<FlowOutcome, 'groups' | 'multipliers' | 'limits'>;

function unrewarded(flow: Flow, result: FlowResult, found: Partial<Qualified> = {}): FlowOutcome {
  return { flowId: flow.id, result, groups: [], multipliers: [], limits: [], ...found, actions: [] };
}

function evaluateGroup({ id: groupId, logic, conditions }: ConditionGroup, facts: Facts): GroupOutcome {
  const outcomes = conditions.map((condition) => evaluateCondition(condition, facts));
  const holds = logic === 'ANY' ? outcomes.some((one) => one.holds) : outcomes.every((one) => one.holds);
  return { groupId, logic, holds, conditions: outcomes };
}

function evaluateCondition(condition: Condition, facts: Facts): ConditionOutcome {
  const kind = conditionKind(condition.attribute);
  const { holds, actual } = kind.find(condition, facts);
  return {
    conditionId: condition.id,
    attribute: condition.attribute,
    ...('name' in condition && { name: condition.name }),
    operator: condition.operator,
    holds,
    actual: Array.isArray(actual) ? firstOf(actual) : actual,
    needed: neededBy(kind.needed(condition)),
  };
}

const neededBy = (needed: number | readonly string[]) => (typeof needed === 'number' ? needed : firstOf(needed));

/** Shortens a list, which may have a thousand values. The version of the campaign has all of them. */
function firstOf(values: readonly string[]): string[] {
  return values.length > 10 ? [...values.slice(0, 10), '…'] : [...values];
}

function isMatching(multiplier: Multiplier, facts: Facts): boolean {
  return multiplierKind(multiplier.attribute).isIn(multiplier, facts) === (multiplier.operator === 'IS_IN');
}

/** Works out the reward of a member who qualifies, unless a limit or the amount prevents it. */
function rewarded(flow: Flow, facts: Facts, found: Qualified): FlowOutcome {
  const base = baseOf(facts);
  if (!flow.actions.every((action) => isMultiple(action, base))) return unrewarded(flow, 'NO_MULTIPLE', found);

  const begun = flow.actions.map((action) => beginAction(action, facts));
  const reward = rewardOf({ ...found, actions: begun }, base);
  const { refusal, limits } = applyLimits(found.limits, {
    asked: measureOf(begun, reward.whole, base),
    given: measureOf(begun, reward.capped, countedOf(base, found.limits)),
    mayBeCapped: begun.every(({ kind }) => actionKind(kind).effect === 'award'),
  });
  if (refusal) return unrewarded(flow, refusal, { ...found, limits });

  return {
    flowId: flow.id,
    result: reward.capped.some((amount) => amount > 0) ? 'REWARDED' : 'WORTH_NOTHING',
    ...found,
    limits,
    actions: begun.map((action, position) => finishAction(action, reward, position)),
    ...(flow.reevaluateOnRefund && { reevaluateOnRefund: true }),
  };
}

/** Points move in multiples of an increment, at least one. Other actions take any base. */
function isMultiple(action: Action, { kind, amount }: Base): boolean {
  const route = actionKind(action.kind).route(action);
  return route === null || (kind === 'POINTS' && amount > 0 && amount % route.increment === 0);
}

/** An action before its amount is known. */
function beginAction(action: Action, { trigger, transferPoints }: Facts): ActionOutcome {
  const kind = actionKind(action.kind);
  const route = kind.route(action);
  return {
    actionId: action.id,
    kind: action.kind,
    baseRate: kind.baseRate(action, trigger.type === 'SPEND'),
    points: 0,
    cashbackCents: 0,
    cappedFrom: null,
    transfer: route && {
      fromPartnerId: route.fromPartnerId,
      toPartnerId: route.toPartnerId,
      points: transferPoints ?? 0,
    },
  };
}

/** An action with its points or cents. */
function finishAction(action: ActionOutcome, { whole, capped }: FlowReward, position: number): ActionOutcome {
  const [full, amount] = [whole[position] ?? 0, capped[position] ?? 0];
  const isMoney = actionKind(action.kind).unit === 'cents';
  return {
    ...action,
    points: isMoney ? 0 : amount,
    cashbackCents: isMoney ? amount : 0,
    cappedFrom: amount < full ? full : null,
  };
}
