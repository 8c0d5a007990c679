import { maximumPoints } from '../../../contracts/limits.ts';
import { timeOf } from '../../period.ts';
import {
  type Action,
  actionKind,
  type Campaign,
  type Condition,
  type ConditionGroup,
  conditionKind,
  type Flow,
  isRunning,
  type Multiplier,
  multiplierKind,
} from '../document/campaign.ts';
import { type EventFacts, isByDollar, triggerMatches, type Usage } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import { takesPoints } from '../document/kinds/kind.ts';
import { choosesItems, countChosenItems, countContextAmount } from './counted-amount.ts';
import type { ActionOutcome, ConditionOutcome, Decision, FlowOutcome, FlowResult, GroupOutcome } from './decision.ts';
import {
  applyLimits,
  baseOf,
  calculateReward,
  capBase,
  type FlowReward,
  measureReward,
  toLimitOutcomes,
} from './reward.ts';

/**
 * Decides what a campaign awards for some facts, and why. Pure and total: equal arguments give equal decisions, and no
 * argument makes it throw.
 *
 * @param usage the member's use of the campaign's limits before the event
 */
export function evaluate(campaign: Campaign, facts: EventFacts, usage: Usage = {}): Decision {
  const { items: _items, numbers: _numbers, ...stored } = facts;
  const decided = { campaignId: campaign.id, campaignVersion: campaign.version, facts: stored };
  const refused = findRefusal(campaign, facts);
  if (refused) return { ...decided, refused, flows: [] };

  const flows = evaluateFlows(campaign, facts, usage);
  if (!isTotalExact(flows)) return { ...decided, refused: 'points_out_of_range', flows: [] };
  return { ...decided, refused: null, flows };
}

/**
 * Evaluates the flows. Every flow of a campaign may award something. Only one flow may take points: the first one that
 * can. Two flows would take the points of one payment twice.
 */
function evaluateFlows({ type, flows }: Campaign, facts: EventFacts, usage: Usage): FlowOutcome[] {
  if (!takesPoints(type)) return flows.map((flow) => evaluateFlow(flow, facts, usage));
  let isTaken = false;
  return flows.map((flow) => {
    if (isTaken) return withoutReward(flow, 'EARLIER_FLOW');
    const outcome = evaluateFlow(flow, facts, usage);
    isTaken = outcome.result === 'REWARDED';
    return outcome;
  });
}

function findRefusal(campaign: Campaign, facts: EventFacts): Decision['refused'] {
  if (!facts.partnershipIsActive) return 'partnership_not_active';
  return isRunning(campaign, new Date(timeOf(facts.occurredAt))) ? null : 'campaign_not_running';
}

/**
 * Whether the sum of all points is small enough to be exact. Each rate alone is valid, but the sum of several flows can
 * be too large.
 */
function isTotalExact(flows: readonly FlowOutcome[]): boolean {
  const total = flows.reduce(
    (sum, { actions }) => actions.reduce((all, { points, cashbackCents }) => all + points + cashbackCents, sum),
    0,
  );
  return total <= maximumPoints;
}

function evaluateFlow(flow: Flow, facts: EventFacts, usage: Usage): FlowOutcome {
  if (!triggerMatches(facts.trigger, flow.trigger)) return withoutReward(flow, 'OTHER_TRIGGER');

  const groups = flow.conditionGroups.map((group) => evaluateGroup(group, facts));
  if (!groups.every(({ holds }) => holds)) return withoutReward(flow, 'NOT_QUALIFIED', { groups });

  const counted = countAmount(flow, groups, facts);
  if (typeof counted === 'string') return withoutReward(flow, counted, { groups });

  const multipliers = flow.multipliers.map((multiplier) => ({
    multiplierId: multiplier.id,
    matched: isMatching(multiplier, facts),
    factorBp: multiplier.factorBp,
  }));
  const limits = toLimitOutcomes(flow.limits, facts, usage);
  return rewardQualified(flow, facts, { groups, multipliers, limits, ...counted });
}

/** The findings about a flow whose conditions hold. */
type Qualified = Pick<FlowOutcome, 'groups' | 'multipliers' | 'limits' | 'countedCents'>;

/**
 * Counts the amount that a flow rewards: a field of the event's context, or the items that the flow chooses.
 *
 * @returns the counted amount; if the flow rewards the whole amount of the event, an empty object; if there is no
 * amount to reward, the reason why the flow awards nothing
 */
function countAmount(
  flow: Flow,
  groups: readonly GroupOutcome[],
  facts: EventFacts,
): Pick<FlowOutcome, 'countedCents'> | FlowResult {
  if (flow.trigger.type === 'CUSTOM' && flow.trigger.amountField !== undefined) {
    const countedCents = countContextAmount(flow.trigger.amountField, facts);
    return countedCents === undefined ? 'NO_AMOUNT' : { countedCents };
  }
  if (!choosesItems(flow, groups)) return {};
  const countedCents = countChosenItems(flow, groups, facts);
  return countedCents === undefined ? 'NO_MATCHING_ITEM' : { countedCents };
}

function withoutReward(flow: Flow, result: FlowResult, findings: Partial<Qualified> = {}): FlowOutcome {
  return { flowId: flow.id, result, groups: [], multipliers: [], limits: [], ...findings, actions: [] };
}

function evaluateGroup({ id: groupId, logic, conditions }: ConditionGroup, facts: EventFacts): GroupOutcome {
  const outcomes = conditions.map((condition) => evaluateCondition(condition, facts));
  const holds = logic === 'ANY' ? outcomes.some((one) => one.holds) : outcomes.every((one) => one.holds);
  return { groupId, logic, holds, conditions: outcomes };
}

function evaluateCondition(condition: Condition, facts: EventFacts): ConditionOutcome {
  const kind = conditionKind(condition.attribute);
  const { holds, actual } = kind.find(condition, facts);
  return {
    conditionId: condition.id,
    attribute: condition.attribute,
    ...('name' in condition && { name: condition.name }),
    operator: condition.operator,
    holds,
    actual: Array.isArray(actual) ? shorten(actual) : actual,
    needed: shortenNeeded(kind.needed(condition)),
  };
}

const shortenNeeded = (needed: number | readonly string[]) => (typeof needed === 'number' ? needed : shorten(needed));

/** Shortens a list, which may have a thousand values. The version of the campaign contains all of them. */
function shorten(values: readonly string[]): string[] {
  return values.length > 10 ? [...values.slice(0, 10), '…'] : [...values];
}

function isMatching(multiplier: Multiplier, facts: EventFacts): boolean {
  return multiplierKind(multiplier.attribute).isIn(multiplier, facts) === (multiplier.operator === 'IS_IN');
}

/** Calculates the reward of a member who qualifies, unless a limit or the amount prevents it. */
function rewardQualified(flow: Flow, facts: EventFacts, findings: Qualified): FlowOutcome {
  const base = baseOf(facts, findings);
  // A transfer may be requested with a fraction of a point. The code below calculates with whole points only.
  if (!Number.isInteger(base.amount)) return withoutReward(flow, 'NO_MULTIPLE', findings);
  const actions = flow.actions.map((action) => toActionOutcome(action, facts, base));
  const reward = calculateReward({ ...findings, actions }, base);
  const isStepped = flow.actions.every((action, position) => isMultiple(action, base, reward.uncapped[position] ?? 0));
  if (!isStepped) return withoutReward(flow, 'NO_MULTIPLE', findings);

  const { refusal, limits } = applyLimits(findings.limits, {
    uncapped: measureReward(actions, reward.uncapped, base),
    capped: measureReward(actions, reward.capped, capBase(base, findings.limits)),
    mayBeCapped: actions.every(({ kind }) => actionKind(kind).effect === 'award'),
  });
  if (refusal) return withoutReward(flow, refusal, { ...findings, limits });

  return {
    flowId: flow.id,
    result: resultOf(reward.capped),
    ...findings,
    limits,
    actions: actions.map((action, position) => withAmount(action, reward, position)),
    ...(flow.reevaluateOnRefund && { reevaluateOnRefund: true }),
  };
}

/** The result of a flow that no limit prevents. */
function resultOf(amounts: readonly number[]): FlowResult {
  if (amounts.length === 0) return 'COUNTED';
  return amounts.some((amount) => amount > 0) ? 'REWARDED' : 'WORTH_NOTHING';
}

/**
 * Whether the points that leave the member are a multiple of the action's step. In a transfer, the base leaves the
 * member, and it is at least one step. In a payment, the price leaves the member.
 */
function isMultiple(action: Action, base: Base, price: number): boolean {
  const kind = actionKind(action.kind);
  const step = kind.step(action);
  if (kind.effect !== 'transfer') return step === null || price % step === 0;
  return step !== null && base.kind === 'POINTS' && base.amount > 0 && base.amount % step === 0;
}

/** Makes the outcome of an action, without its amount. */
function toActionOutcome(action: Action, { trigger, transferPoints }: EventFacts, base: Base): ActionOutcome {
  const kind = actionKind(action.kind);
  const route = kind.route(action);
  return {
    actionId: action.id,
    kind: action.kind,
    baseRate: kind.baseRate(action, base.kind === 'CENTS' || isByDollar(trigger)),
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

/** Adds the points or cents to the outcome of an action. */
function withAmount(action: ActionOutcome, { uncapped, capped }: FlowReward, position: number): ActionOutcome {
  const [full, amount] = [uncapped[position] ?? 0, capped[position] ?? 0];
  const isMoney = actionKind(action.kind).unit === 'cents';
  return {
    ...action,
    points: isMoney ? 0 : amount,
    cashbackCents: isMoney ? amount : 0,
    cappedFrom: amount < full ? full : null,
  };
}
