import { Engine, type NestedCondition, Operator } from 'json-rules-engine';
import type { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Condition, Limit } from '../../../shared/domain/campaign/document/parts.ts';
import { type PeerFacts, triggerName } from './peer-facts.ts';
import { type Award, pointsOf } from './peer-points.ts';

/**
 * The same campaigns for json-rules-engine, in the form that suits it: one engine with a rule for each
 * campaign, so that facts are taken in once for all of them. An engine for each campaign, priorities of
 * conditions and runs side by side were tried, and are slower. Times, days, places and what limits leave are
 * worked out beforehand, outside of what is measured. Its events carry what the points are reckoned from.
 */

/** The campaigns as an engine that is made once. */
export class Peer {
  readonly #engine = new Engine();

  constructor(campaigns: readonly Campaign[]) {
    const includesAny = (told: string[], wanted: string[]) => told.some((value) => wanted.includes(value));
    const includesNone = (told: string[], wanted: string[]) => !includesAny(told, wanted);
    this.#engine.addOperator(new Operator('includesAny', includesAny, Array.isArray));
    this.#engine.addOperator(new Operator('includesNone', includesNone, Array.isArray));
    this.#engine.addOperator('leavesRoom', (left: PeerFacts['left'], limitId: number) => (left[limitId] ?? 0) > 0);
    for (const campaign of campaigns) this.#addRule(campaign);
  }

  #addRule(campaign: Campaign): void {
    const [flow] = campaign.flows;
    if (!flow) throw new Error('a campaign of the workload has one flow');
    this.#engine.addRule({
      conditions: { all: [...runningConditions(campaign), ...flowConditions(flow)] },
      event: { type: 'award', params: awardOf(campaign.id, flow) },
    });
  }

  /** The points that each campaign awards; what is not there awards none. */
  async evaluate(facts: PeerFacts): Promise<Map<number, number>> {
    const { events } = await this.#engine.run(facts);
    return new Map(events.map(({ params }) => [(params as Award).campaignId, pointsOf(params as Award, facts)]));
  }
}

function runningConditions({ startsAt, endsAt }: Campaign): NestedCondition[] {
  return [
    { fact: 'isActive', operator: 'equal', value: true },
    { fact: 'time', operator: 'greaterThanInclusive', value: Date.parse(startsAt) },
    ...(endsAt === null ? [] : [{ fact: 'time', operator: 'lessThan', value: Date.parse(endsAt) }]),
  ];
}

function flowConditions({ trigger, conditionGroups, limits }: Flow): NestedCondition[] {
  const groups = conditionGroups.map(({ logic, conditions }) =>
    logic === 'ANY' ? { any: conditions.map(conditionOf) } : { all: conditions.map(conditionOf) },
  );
  return [{ fact: 'trigger', operator: 'equal', value: triggerName(trigger) }, ...groups, ...limits.flatMap(roomFor)];
}

/** Limits that refuse; those that cap are part of the award. */
function roomFor({ id, kind, bound, amount }: Limit): NestedCondition[] {
  if (kind === 'USER') return [{ fact: 'left', operator: 'leavesRoom', value: id }];
  return bound === 'MINIMUM' ? [{ fact: 'amountCents', operator: 'greaterThanInclusive', value: amount }] : [];
}

function conditionOf(condition: Condition): NestedCondition {
  switch (condition.attribute) {
    case 'BASKET_SIZE':
      return { fact: 'amountCents', operator: comparison(condition.operator), value: condition.amountCents };
    case 'TOTAL_SPEND':
      return { fact: 'totalSpendCents', operator: 'greaterThan', value: condition.amountCents };
    case 'TIME_ELAPSED':
      return { fact: 'elapsedDays', operator: comparison(condition.operator), value: condition.days };
    case 'GEOGRAPHY':
      return { fact: 'places', operator: membership(condition.operator), value: condition.values };
    case 'CUSTOM':
      return { fact: 'channel', operator: membership(condition.operator), value: condition.values };
  }
}

const comparison = (operator: 'GREATER_THAN' | 'LESS_THAN') => (operator === 'LESS_THAN' ? 'lessThan' : 'greaterThan');
const membership = (operator: 'IS_IN' | 'IS_NOT_IN') => (operator === 'IS_IN' ? 'includesAny' : 'includesNone');

function awardOf(campaignId: number, { actions, multipliers, limits }: Flow): Award {
  const [action] = actions;
  if (action?.kind !== 'AWARD_POINTS') throw new Error('a flow of the workload awards points');
  const maximums = limits.filter(({ bound }) => bound === 'MAXIMUM');
  const most = (unit: Limit['unit']) =>
    maximums.find((limit) => limit.kind === 'TRANSACTION' && limit.unit === unit)?.amount ?? Number.MAX_SAFE_INTEGER;
  return {
    campaignId,
    pointsPerDollarBp: action.pointsPerDollarBp,
    pointsPerEvent: action.pointsPerEvent ?? 0,
    multipliers: multipliers.map((multiplier) => ({
      halves: multiplier.factorBp / 5_000,
      isWanted: multiplier.operator === 'IS_IN',
      ...(multiplier.attribute === 'VARIABLE' ? { channels: multiplier.values } : { tiers: multiplier.statusTierIds }),
    })),
    mostCents: most('DOLLARS'),
    mostPoints: most('POINTS'),
    pointLimitIds: maximums.filter(({ kind, unit }) => kind === 'USER' && unit === 'POINTS').map(({ id }) => id),
  };
}
