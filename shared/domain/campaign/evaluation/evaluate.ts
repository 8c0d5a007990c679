import { maximumPoints } from '../../../contracts/limits.ts';
import { memoizeObject } from '../../memoize.ts';
import { timeOf } from '../../period.ts';
import { type Campaign, isRunning } from '../document/campaign.ts';
import { type EventFacts, type Facts, isByDollar, triggerMatches, type Usage } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import { takesPoints } from '../document/kinds/kind.ts';
import { choosesItems, countChosenItems, countContextAmount } from './counted-amount.ts';
import type { ActionOutcome, ConditionOutcome, Decision, FlowOutcome, FlowResult, GroupOutcome } from './decision.ts';
import {
  type PreparedAction,
  type PreparedCondition,
  type PreparedFlow,
  type PreparedGroup,
  preparedFlows,
  shorten,
} from './prepare.ts';
import { applyLimits, baseOf, calculateReward, capBase, measureReward, toLimitOutcomes } from './reward.ts';

/**
 * Decides what a campaign awards for some facts, and why. Pure and total: equal arguments give equal decisions, and no
 * argument makes it throw. Campaigns and facts must not change after their first evaluation.
 *
 * @param usage the member's use of the campaign's limits before the event
 */
export function evaluate(campaign: Campaign, facts: EventFacts, usage: Usage = {}): Decision {
  const refusal = findRefusal(campaign, facts);
  const flows = refusal === null ? evaluateFlows(campaign, facts, usage) : [];
  const refused = isTotalExact(flows) ? refusal : 'points_out_of_range';
  return {
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    facts: storedFacts(facts),
    refused,
    flows: refused === null ? flows : [],
  };
}

/** The facts that a decision contains. The same event is evaluated under every campaign. */
const storedFacts = memoizeObject(({ items: _items, numbers: _numbers, ...stored }: EventFacts): Facts => stored);

/**
 * Evaluates the flows. Every flow of a campaign may award something. Only one flow may take points: the first one that
 * can. Two flows would take the points of one payment twice.
 */
function evaluateFlows(campaign: Campaign, facts: EventFacts, usage: Usage): FlowOutcome[] {
  const flows = preparedFlows(campaign);
  if (!takesPoints(campaign.type)) return flows.map((prepared) => evaluateFlow(prepared, facts, usage));
  let isTaken = false;
  return flows.map((prepared) => {
    if (isTaken) return outcomeOf(prepared, 'EARLIER_FLOW');
    const outcome = evaluateFlow(prepared, facts, usage);
    isTaken = outcome.result === 'REWARDED';
    return outcome;
  });
}

function findRefusal(campaign: Campaign, facts: EventFacts): Decision['refused'] {
  if (!facts.partnershipIsActive) return 'partnership_not_active';
  return isRunning(campaign, timeOf(facts.occurredAt)) ? null : 'campaign_not_running';
}

/**
 * Whether the sum of all points is small enough to be exact. Each rate alone is valid, but the sum of several flows can
 * be too large.
 */
function isTotalExact(flows: readonly FlowOutcome[]): boolean {
  let total = 0;
  for (const { actions } of flows) for (const { points, cashbackCents } of actions) total += points + cashbackCents;
  return total <= maximumPoints;
}

function evaluateFlow(prepared: PreparedFlow, facts: EventFacts, usage: Usage): FlowOutcome {
  const { flow } = prepared;
  if (!triggerMatches(facts.trigger, flow.trigger)) return outcomeOf(prepared, 'OTHER_TRIGGER');

  const groups = prepared.groups.map((group) => evaluateGroup(group, facts));
  if (!groups.every(({ holds }) => holds)) return outcomeOf(prepared, 'NOT_QUALIFIED', { groups });

  const countedCents = countAmount(prepared, groups, facts);
  if (typeof countedCents === 'string') return outcomeOf(prepared, countedCents, { groups });

  const multipliers = prepared.multipliers.map(({ multiplier, kind }) => ({
    multiplierId: multiplier.id,
    matched: kind.isIn(multiplier, facts) === (multiplier.operator === 'IS_IN'),
    factorBp: multiplier.factorBp,
  }));
  const limits = toLimitOutcomes(prepared.limits, facts, usage);
  return rewardQualified(prepared, facts, { groups, multipliers, limits, countedCents });
}

/** The findings about a flow whose conditions hold. */
type Qualified = Required<Pick<FlowOutcome, 'groups' | 'multipliers' | 'limits'>> & {
  readonly countedCents: number | undefined;
};

/**
 * Counts the amount that a flow rewards: a field of the event's context, or the items that the flow chooses.
 *
 * @returns the counted amount; undefined if the flow rewards the whole amount of the event; if there is no amount to
 * reward, the reason why the flow awards nothing
 */
function countAmount(
  { flow, mayChooseItems }: PreparedFlow,
  groups: readonly GroupOutcome[],
  facts: EventFacts,
): number | undefined | FlowResult {
  if (flow.trigger.type === 'CUSTOM' && flow.trigger.amountField !== undefined) {
    return countContextAmount(flow.trigger.amountField, facts) ?? 'NO_AMOUNT';
  }
  if (!mayChooseItems || !choosesItems(flow, groups)) return undefined;
  return countChosenItems(flow, groups, facts) ?? 'NO_MATCHING_ITEM';
}

function outcomeOf(
  { flow }: PreparedFlow,
  result: FlowResult,
  { groups = [], multipliers = [], limits = [], countedCents }: Partial<Qualified> = {},
  actions: ActionOutcome[] = [],
): FlowOutcome {
  const outcome: FlowOutcome = { flowId: flow.id, result, groups, multipliers, limits, actions };
  if (countedCents !== undefined) outcome.countedCents = countedCents;
  return outcome;
}

function evaluateGroup({ group, conditions }: PreparedGroup, facts: EventFacts): GroupOutcome {
  const outcomes = conditions.map((condition) => evaluateCondition(condition, facts));
  const { id: groupId, logic } = group;
  const holds = logic === 'ANY' ? outcomes.some((one) => one.holds) : outcomes.every((one) => one.holds);
  return { groupId, logic, holds, conditions: outcomes };
}

function evaluateCondition({ condition, kind, named, needed }: PreparedCondition, facts: EventFacts): ConditionOutcome {
  const { holds, actual } = kind.find(condition, facts);
  return { ...named, holds, actual: Array.isArray(actual) ? shorten(actual) : actual, needed };
}

/** Calculates the reward of a member who qualifies, unless a limit or the amount prevents it. */
function rewardQualified(prepared: PreparedFlow, facts: EventFacts, findings: Qualified): FlowOutcome {
  const { flow, actions, isAward } = prepared;
  const { multipliers, limits } = findings;
  const base = baseOf(facts, findings);
  // A transfer may be requested with a fraction of a point. The code below calculates with whole points only.
  if (!Number.isInteger(base.amount)) return outcomeOf(prepared, 'NO_MULTIPLE', findings);
  const outcomes = actions.map((action) => toActionOutcome(action, facts, base));
  const { uncapped, capped } = calculateReward({ actions: outcomes, multipliers, limits }, base);
  const isStepped = isAward || actions.every((action, position) => isMultiple(action, base, uncapped[position] ?? 0));
  if (!isStepped) return outcomeOf(prepared, 'NO_MULTIPLE', findings);

  const refusal = applyLimits(limits, {
    uncapped: measureReward(outcomes, uncapped, base),
    capped: measureReward(outcomes, capped, capBase(base, limits)),
    mayBeCapped: isAward,
  });
  if (refusal) return outcomeOf(prepared, refusal, findings);

  outcomes.forEach((outcome, position) => {
    const [full, amount] = [uncapped[position] ?? 0, capped[position] ?? 0];
    if (actions[position]?.kind.unit === 'cents') outcome.cashbackCents = amount;
    else outcome.points = amount;
    if (amount < full) outcome.cappedFrom = full;
  });
  const outcome = outcomeOf(prepared, resultOf(capped), findings, outcomes);
  if (flow.reevaluateOnRefund) outcome.reevaluateOnRefund = true;
  return outcome;
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
function isMultiple({ action, kind }: PreparedAction, base: Base, price: number): boolean {
  const step = kind.step(action);
  if (kind.effect !== 'transfer') return step === null || price % step === 0;
  return step !== null && base.kind === 'POINTS' && base.amount > 0 && base.amount % step === 0;
}

/** Makes the outcome of an action, without its amount. */
function toActionOutcome({ action, kind, route }: PreparedAction, facts: EventFacts, base: Base): ActionOutcome {
  return {
    actionId: action.id,
    kind: action.kind,
    baseRate: kind.baseRate(action, base.kind === 'CENTS' || isByDollar(facts.trigger)),
    points: 0,
    cashbackCents: 0,
    cappedFrom: null,
    transfer: route && {
      fromPartnerId: route.fromPartnerId,
      toPartnerId: route.toPartnerId,
      points: facts.transferPoints ?? 0,
    },
  };
}
