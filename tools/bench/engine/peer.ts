import { Engine, type NestedCondition, Operator } from 'json-rules-engine';
import type { Campaign, Condition, Flow, Limit } from '../../../shared/domain/campaign/document/campaign.ts';
import { type FlowTrigger, usageName, valuesOf } from '../../../shared/domain/campaign/document/facts.ts';
import { periodOf } from '../../../shared/domain/period.ts';
import type { EvaluationCase } from './workload.ts';

/**
 * The same campaigns for json-rules-engine, in its fastest form: one engine for all campaigns, with one rule for each.
 * The engine reads the facts once for all rules. Other forms are slower: an engine for each campaign, priorities of
 * conditions, parallel runs. Times, days, places and what is left of limits are computed before the clock starts. The
 * engine's events contain the input from which {@link pointsOf} computes the points.
 */

/** All campaigns as the rules of one json-rules-engine. */
export class Peer {
  readonly #engine = new Engine();

  constructor(campaigns: readonly Campaign[]) {
    const includesAny = (given: string[], wanted: string[]) => given.some((value) => wanted.includes(value));
    const includesNone = (given: string[], wanted: string[]) => !includesAny(given, wanted);
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

  /** The points by campaign. A campaign that awards no points is absent. */
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

/** The conditions for a limit that refuses a reward. Limits that only cap the points are a part of {@link Award}. */
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
    case 'CUSTOMER_STATUS': {
      const operator = condition.operator === 'IS_IN' ? 'in' : 'notIn';
      return { fact: 'statusTierId', operator, value: condition.statusTierIds };
    }
    default:
      throw new Error(`the workload has no conditions on ${condition.attribute}`);
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

/** Facts as the rules need them. */
export type PeerFacts = Readonly<{
  time: number;
  trigger: string;
  isActive: boolean;
  amountCents: number | null;
  totalSpendCents: number;
  elapsedDays: number | null;
  places: readonly string[] | null;
  channel: readonly string[];
  statusTierId: number | null;
  /** What is left of each limit for the member. The key is the limit's id. */
  left: Readonly<Record<number, number>>;
}>;

const dayMs = 86_400_000;

/** Converts a case into the facts that the rules read. */
export function peerFactsOf({ facts, usage }: EvaluationCase, campaigns: readonly Campaign[]): PeerFacts {
  const { occurredAt, timeZone, connectedAt, location } = facts;
  const time = Date.parse(occurredAt);
  const limits = campaigns.flatMap(({ flows }) => flows.flatMap(userLimits));
  return {
    time,
    trigger: triggerName(facts.trigger),
    isActive: facts.partnershipIsActive,
    amountCents: facts.amountCents,
    totalSpendCents: facts.totalSpendCents,
    elapsedDays: connectedAt === null ? null : (time - Date.parse(connectedAt)) / dayMs,
    places: location && [location.country, ...(location.city ? [`${location.city}, ${location.region}`] : [])],
    channel: valuesOf('channel', facts),
    statusTierId: facts.statusTierId,
    left: Object.fromEntries(
      limits.map(({ id, period, amount }) => [
        id,
        amount - (usage[usageName(id, periodOf(period, occurredAt, timeZone))] ?? 0),
      ]),
    ),
  };
}

const userLimits = ({ limits }: Flow) => limits.flatMap((limit) => (limit.kind === 'USER' ? [limit] : []));

/** Returns a trigger as one string, because the rules compare strings. */
const triggerName = (trigger: FlowTrigger) =>
  trigger.type === 'CUSTOM' ? `CUSTOM#${trigger.customTriggerId}` : trigger.type;

/** The parameters of the engine's event: the input from which the points are computed. */
interface Award {
  readonly campaignId: number;
  readonly pointsPerDollarBp: number | undefined;
  readonly pointsPerEvent: number;
  readonly multipliers: readonly {
    /** The factor in halves. All factors of the workload are multiples of one half, so their products are exact. */
    readonly halves: number;
    readonly isWanted: boolean;
    readonly tiers?: readonly number[];
    readonly channels?: readonly string[];
  }[];
  readonly mostCents: number;
  readonly mostPoints: number;
  readonly pointLimitIds: readonly number[];
}

/** The points of an award, without an explanation. */
function pointsOf(award: Award, facts: PeerFacts): number {
  let [factor, unit] = [1, 1];
  for (const { halves, isWanted, tiers, channels } of award.multipliers) {
    const isIn = tiers
      ? facts.statusTierId !== null && tiers.includes(facts.statusTierId)
      : facts.channel.some((value) => channels?.includes(value));
    if (isIn !== isWanted) continue;
    factor *= halves;
    unit *= 2;
  }
  const points =
    award.pointsPerDollarBp === undefined
      ? Math.floor((award.pointsPerEvent * factor) / unit)
      : Math.floor(
          (Math.min(facts.amountCents ?? 0, award.mostCents) * award.pointsPerDollarBp * factor) / (1_000_000 * unit),
        );
  return Math.min(points, award.mostPoints, ...award.pointLimitIds.map((id) => facts.left[id] ?? 0));
}
