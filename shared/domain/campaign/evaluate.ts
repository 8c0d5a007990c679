import { maximumPoints } from '../money.ts';
import { type Action, baseRateOf } from './action.ts';
import { type Campaign, type Flow, isRunning } from './campaign.ts';
import { type ConditionGroup, findingOf } from './conditions/registry.ts';
import type { ActionOutcome, Decision, FlowOutcome, FlowResult, GroupOutcome, LimitOutcome } from './decision.ts';
import type { Facts, Usage } from './facts.ts';
import { leftOf, limitsAt, type Measure, measured, refusalBy } from './limits-of-flow.ts';
import { multiplies } from './multiplier.ts';
import type { Base } from './rates.ts';
import { rewardOf } from './reward-of-flow.ts';
import { begins } from './trigger-of-flow.ts';

/**
 * What a campaign gives for some facts, with the reason for everything. Pure, total, and the same for
 * the same arguments.
 *
 * @param usage what the member used of the campaign's limits before
 */
export function evaluate(campaign: Campaign, facts: Facts, usage: Usage = {}): Decision {
  const flows = campaign.flows.map((flow) => flowOutcome(flow, facts, usage));
  const refused = refusalOf(campaign, facts) ?? (areCountable(flows) ? null : 'points_out_of_range');
  return {
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    facts,
    refused,
    flows: refused === null ? flows : [],
  };
}

function refusalOf(campaign: Campaign, facts: Facts): Decision['refused'] {
  if (!facts.partnershipIsActive) return 'partnership_not_active';
  return isRunning(campaign, new Date(facts.occurredAt)) ? null : 'campaign_not_running';
}

/** Rates that are allowed one by one can make more points together than numbers hold exactly. */
function areCountable(flows: readonly FlowOutcome[]): boolean {
  const amounts = flows.flatMap(({ actions }) => actions.map(({ points, cashbackCents }) => points + cashbackCents));
  return amounts.reduce((sum, next) => sum + next, 0) <= maximumPoints;
}

function flowOutcome(flow: Flow, facts: Facts, usage: Usage): FlowOutcome {
  if (!begins(facts.trigger, flow.trigger)) return unrewarded(flow, 'OTHER_TRIGGER');

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
    operator: condition.operator,
    ...findingOf(condition, facts),
  }));
  const holds = logic === 'ANY' ? outcomes.some((one) => one.holds) : outcomes.every((one) => one.holds);
  return { groupId, logic, holds, conditions: outcomes };
}

/** A member that qualifies gets what the actions come to, unless a limit or the amount itself is against it. */
function rewarded(flow: Flow, facts: Facts, found: Qualified): FlowOutcome {
  const base = baseOf(facts);
  if (!flow.actions.every((action) => isMultiple(action, base))) {
    return unrewarded(flow, 'NO_MULTIPLE', found);
  }
  const terms = flow.actions.map((action) => ({
    kind: action.kind,
    baseRate: baseRateOf(action, facts.trigger.type === 'SPEND'),
  }));
  const { whole, capped } = rewardOf({ ...found, actions: terms }, base);

  const asked = measureOf(flow, facts, whole);
  const isCapped = flow.actions.every(({ kind }) => kind === 'AWARD_POINTS' || kind === 'AWARD_CASHBACK');
  const refusals = found.limits.map((limit) => refusalBy(limit, asked, isCapped));
  const given = measureOf(flow, facts, capped);
  const limits = found.limits.map((limit, position) => limitOutcome(limit, refusals[position], asked, given));

  const refusal = refusals.find((reason) => reason !== undefined);
  if (refusal) return unrewarded(flow, refusal, { ...found, limits: limits.map(uncharged) });
  const actions = flow.actions.map((action, position) =>
    actionOutcome(action, facts, { whole: whole[position] ?? 0, capped: capped[position] ?? 0 }),
  );
  if (isWorthless(capped))
    return { flowId: flow.id, result: 'WORTH_NOTHING', ...found, limits: limits.map(uncharged), actions };
  return { flowId: flow.id, result: 'REWARDED', ...found, limits, actions };
}

const uncharged = (limit: LimitOutcome): LimitOutcome => ({ ...limit, charge: 0 });

/** What the actions are counted by. */
function baseOf({ trigger, amountCents, transferPoints }: Facts): Base {
  if (transferPoints !== null) return { kind: 'POINTS', amount: transferPoints };
  return trigger.type === 'SPEND' ? { kind: 'CENTS', amount: amountCents ?? 0 } : { kind: 'EVENT', amount: 1 };
}

function isMultiple(action: Action, { kind, amount }: Base): boolean {
  return action.kind !== 'TRANSFER_POINTS' || (kind === 'POINTS' && amount > 0 && amount % action.increment === 0);
}

const isWorthless = (amounts: readonly number[]) => amounts.every((amount) => amount === 0);

/** What limits measure a flow's reward by: the points that are awarded or paid, or leave in a transfer. */
function measureOf({ actions }: Flow, { amountCents, transferPoints }: Facts, amounts: readonly number[]): Measure {
  const points = actions.reduce((sum, { kind }, position) => {
    if (kind === 'AWARD_CASHBACK') return sum;
    return sum + (kind === 'TRANSFER_POINTS' ? (transferPoints ?? 0) : (amounts[position] ?? 0));
  }, 0);
  return { cents: amountCents, points };
}

function limitOutcome(
  limit: LimitOutcome,
  refusal: FlowResult | undefined,
  asked: Measure,
  given: Measure,
): LimitOutcome {
  const isExceeded = limit.bound === 'MAXIMUM' && (measured(limit, asked) ?? 0) > leftOf(limit);
  const effect = isExceeded ? 'CAPPED' : 'NONE';
  const charge = limit.kind === 'USER' ? (measured(limit, given) ?? 0) : 0;
  return { ...limit, effect: refusal ? 'REFUSED' : effect, charge };
}

function actionOutcome(
  action: Action,
  { trigger, transferPoints }: Facts,
  { whole, capped }: { readonly whole: number; readonly capped: number },
): ActionOutcome {
  const isCashback = action.kind === 'AWARD_CASHBACK';
  return {
    actionId: action.id,
    kind: action.kind,
    baseRate: baseRateOf(action, trigger.type === 'SPEND'),
    points: isCashback ? 0 : capped,
    cashbackCents: isCashback ? capped : 0,
    cappedFrom: capped < whole ? whole : null,
    transfer:
      action.kind === 'TRANSFER_POINTS'
        ? { fromPartnerId: action.fromPartnerId, toPartnerId: action.toPartnerId, points: transferPoints ?? 0 }
        : null,
  };
}
