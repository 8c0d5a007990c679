import { maximumPoints } from '../../../contracts/limits.ts';
import { timeOf } from '../../instant.ts';
import { type Campaign, type Flow, isRunning } from '../document/campaign.ts';
import { type ConditionGroup, findingOf } from '../document/conditions/registry.ts';
import type { Facts, Usage } from '../document/facts.ts';
import { multiplies } from '../document/multiplier.ts';
import { triggerMatches } from '../document/trigger-of-flow.ts';
import { actionsAt, baseOf, isMultiple, measureOf, worthOf } from './actions-of-flow.ts';
import type { Decision, FlowOutcome, FlowResult, GroupOutcome } from './decision.ts';
import { applied, limitsAt } from './limits-of-flow.ts';
import { countedOf, rewardOf } from './reward-of-flow.ts';

/**
 * What a campaign gives for some facts, with the reason for everything. Pure, total, and the same for
 * the same arguments.
 *
 * @param usage what the member used of the campaign's limits before
 */
export function evaluate(campaign: Campaign, facts: Facts, usage: Usage = {}): Decision {
  const decided = { campaignId: campaign.id, campaignVersion: campaign.version, facts };
  const refused = refusalOf(campaign, facts);
  if (refused) return { ...decided, refused, flows: [] };

  const flows = campaign.flows.map((flow) => flowOutcome(flow, facts, usage));
  if (!areCountable(flows)) return { ...decided, refused: 'points_out_of_range', flows: [] };
  return { ...decided, refused: null, flows };
}

function refusalOf(campaign: Campaign, facts: Facts): Decision['refused'] {
  if (!facts.partnershipIsActive) return 'partnership_not_active';
  return isRunning(campaign, new Date(timeOf(facts.occurredAt))) ? null : 'campaign_not_running';
}

/** Rates that are allowed one by one can make more points together than numbers hold exactly. */
function areCountable(flows: readonly FlowOutcome[]): boolean {
  const total = flows.reduce(
    (sum, { actions }) => actions.reduce((all, { points, cashbackCents }) => all + points + cashbackCents, sum),
    0,
  );
  return total <= maximumPoints;
}

function flowOutcome(flow: Flow, facts: Facts, usage: Usage): FlowOutcome {
  if (!triggerMatches(facts.trigger, flow.trigger)) return unrewarded(flow, 'OTHER_TRIGGER');

  const groups = flow.conditionGroups.map((group) => groupOutcome(group, facts));
  if (!groups.every(({ holds }) => holds)) return unrewarded(flow, 'NOT_QUALIFIED', { groups });

  const multipliers = flow.multipliers.map((multiplier) => ({
    multiplierId: multiplier.id,
    matched: multiplies(multiplier, facts),
    factorBp: multiplier.factorBp,
  }));
  return rewarded(flow, facts, { groups, multipliers, limits: limitsAt(flow.limits, facts, usage) });
}

type Qualified = Pick<FlowOutcome, 'groups' | 'multipliers' | 'limits'>;

function unrewarded(flow: Flow, result: FlowResult, found: Partial<Qualified> = {}): FlowOutcome {
  return { flowId: flow.id, result, groups: [], multipliers: [], limits: [], ...found, actions: [] };
}

function groupOutcome({ id: groupId, logic, conditions }: ConditionGroup, facts: Facts): GroupOutcome {
  const outcomes = conditions.map((condition) => ({
    conditionId: condition.id,
    attribute: condition.attribute,
    ...(condition.attribute === 'CUSTOM' && { name: condition.name }),
    operator: condition.operator,
    ...findingOf(condition, facts),
  }));
  const holds = logic === 'ANY' ? outcomes.some((one) => one.holds) : outcomes.every((one) => one.holds);
  return { groupId, logic, holds, conditions: outcomes };
}

/** A member that qualifies gets what the actions come to, unless a limit or the amount itself is against it. */
function rewarded(flow: Flow, facts: Facts, found: Qualified): FlowOutcome {
  const base = baseOf(facts);
  if (!flow.actions.every((action) => isMultiple(action, base))) return unrewarded(flow, 'NO_MULTIPLE', found);

  const begun = actionsAt(flow.actions, facts);
  const reward = rewardOf({ ...found, actions: begun }, base);
  const claim = {
    asked: measureOf(begun, reward.whole, base),
    given: measureOf(begun, reward.capped, countedOf(base, found.limits)),
    mayBeCapped: begun.every(({ kind }) => kind === 'AWARD_POINTS' || kind === 'AWARD_CASHBACK'),
  };
  const { refusal, limits } = applied(found.limits, claim);
  if (refusal) return unrewarded(flow, refusal, { ...found, limits });

  const result = claim.given.events === 0 ? 'WORTH_NOTHING' : 'REWARDED';
  const asksAgain = flow.reevaluateOnRefund && { reevaluateOnRefund: true };
  return { flowId: flow.id, result, ...found, limits, actions: worthOf(begun, reward), ...asksAgain };
}
