import { describe, expect, it } from 'vitest';
import { maximumAmountCents, maximumPoints } from '../../../shared/contracts/limits.ts';
import type { Campaign, Condition, Limit } from '../../../shared/domain/campaign/document/campaign.ts';
import { type Facts, type Usage, usageName } from '../../../shared/domain/campaign/document/facts.ts';
import { Decision, type FlowOutcome, type LimitOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { periodOf } from '../../../shared/domain/period.ts';
import { fc } from '../../support/fast-check.ts';
import { anyInstants, campaigns, claims, earnCampaigns, facts, occasions, shuffledCampaign } from './arbitraries.ts';

const anything = occasions({ campaigns, facts });
const anyPurchase = occasions({ campaigns: earnCampaigns, facts: claims });
/** Half of the cases are purchases that earn: random events are rarely rewarded, and rarely reach a limit. */
const anythingCapped = fc.oneof(anything, anyPurchase);

interface Occasion {
  readonly campaign: Campaign;
  readonly facts: Facts;
  readonly usage: Usage;
}

const decide = ({ campaign, facts: happened, usage }: Occasion) => evaluate(campaign, happened, usage);

const sumOf = (flow: FlowOutcome, unit: 'points' | 'cashbackCents') =>
  flow.actions.reduce((sum, action) => sum + action[unit], 0);

/** The points that limits count. A transfer counts the points that leave the source program. */
const countedPoints = ({ actions }: FlowOutcome) =>
  actions.reduce((sum, { points, transfer }) => sum + (transfer?.points ?? points), 0);

const isMaximum = ({ bound }: LimitOutcome) => bound === 'MAXIMUM';
const rewardedFlows = ({ flows }: Decision) => flows.filter(({ result }) => result === 'REWARDED');

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

describe('evaluate(), for any campaign and facts,', () => {
  it('returns a decision that is the same after it was stored as JSON', () => {
    fc.assert(
      fc.property(anything, (one) => {
        const decision = decide(one);
        expect(Decision.parse(decision)).toEqual(decision);
        expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns a valid decision for every valid instant', () => {
    fc.assert(
      fc.property(campaigns, facts, anyInstants, (campaign, happened, occurredAt) => {
        const always = { ...campaign, startsAt: '0000-01-01T00:00:00.000Z', status: 'ACTIVE' as const };
        const decision = evaluate(always, { ...happened, occurredAt, connectedAt: occurredAt });
        expect(Decision.parse(decision)).toEqual(decision);
      }),
    );
  });

  it('returns the same decision each time', () => {
    fc.assert(
      fc.property(anything, (one) => {
        expect(decide(frozen(one))).toEqual(decide(structuredClone(one)));
      }),
    );
  });

  it('awards points and cents as safe integers', () => {
    fc.assert(
      fc.property(anything, (one) => {
        const amounts = decide(one).flows.flatMap(({ actions }) =>
          actions.flatMap(({ points, cashbackCents }) => [points, cashbackCents]),
        );
        expect(amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true);
        expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(maximumPoints);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns the same reward for shuffled campaign parts', () => {
    const reordered = anything.chain((one) => shuffledCampaign(one.campaign).map((other) => ({ one, other })));
    const totals = (decision: Decision) => ({
      refused: decision.refused,
      flows: new Map(
        decision.flows.map((flow) => [
          flow.flowId,
          {
            isRewarded: flow.result === 'REWARDED',
            points: sumOf(flow, 'points'),
            cashbackCents: sumOf(flow, 'cashbackCents'),
            charges: new Map(flow.limits.map(({ limitId, charge }) => [limitId, charge])),
          },
        ]),
      ),
    });
    fc.assert(
      fc.property(reordered, ({ one, other }) => {
        expect(totals(decide({ ...one, campaign: other }))).toEqual(totals(decide(one)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('awards something in each REWARDED flow, and nothing in any other flow', () => {
    fc.assert(
      fc.property(anything, (one) => {
        for (const flow of decide(one).flows) {
          const given = sumOf(flow, 'points') + sumOf(flow, 'cashbackCents');
          expect(given > 0).toBe(flow.result === 'REWARDED');
        }
      }),
    );
  });
});

/** A campaign and the events of one member. */
const histories = fc.oneof(
  fc.record({ campaign: campaigns, history: fc.array(facts, { minLength: 1, maxLength: 30 }) }),
  fc.record({ campaign: earnCampaigns, history: fc.array(claims, { minLength: 1, maxLength: 10 }) }),
);

describe('limits of any campaign', () => {
  it('are charged exactly what was awarded or counted, if they count for one member', () => {
    fc.assert(
      fc.property(anythingCapped, (one) => {
        for (const flow of decide(one).flows) {
          const isRewarded = flow.result === 'REWARDED';
          const isEvent = isRewarded || flow.result === 'COUNTED';
          const charges = { EVENTS: Number(isEvent), POINTS: isRewarded ? countedPoints(flow) : 0, DOLLARS: 0 };
          const right = flow.limits.map(({ kind, unit }) => (kind === 'USER' ? charges[unit] : 0));
          expect(flow.limits.map(({ charge }) => charge)).toEqual(right);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('are never exceeded by one event', () => {
    fc.assert(
      fc.property(anythingCapped, (one) => {
        const exceeded = rewardedFlows(decide(one)).flatMap((flow) =>
          flow.limits.filter(isMaximum).filter(({ unit, amount, used }) => {
            const given = { EVENTS: 1, POINTS: countedPoints(flow), DOLLARS: 0 }[unit];
            return given > Math.max(0, amount - used) && given > 0;
          }),
        );
        expect(exceeded).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are never exceeded by all events of one member together', () => {
    fc.assert(
      fc.property(histories, ({ campaign, history }) => {
        const running = { ...campaign, status: 'ACTIVE' as const };
        const books = { usage: new Map<string, number>(), given: new Map<string, Given>() };
        for (const happened of history) {
          const decision = evaluate(running, happened, Object.fromEntries(books.usage));
          for (const flow of rewardedFlows(decision)) tally(flow, limitsOf(running, flow), { happened, books });
        }
        const exceeded = [...books.given.values()].filter(({ limit, events, points }) => {
          return (limit.unit === 'EVENTS' ? events : points) > limit.amount;
        });
        expect(exceeded).toEqual([]);
      }),
    );
  });

  it('let a purchase above a maximum in dollars earn as if it cost the maximum', () => {
    fc.assert(
      fc.property(anyPurchase, fc.integer({ min: 1, max: 20_000 }), (one, most) => {
        const only = (limits: Campaign['flows'][number]['limits']) => ({
          ...one.campaign,
          flows: one.campaign.flows.map((flow) => ({ ...flow, conditionGroups: [], limits })),
        });
        const limit = { id: 999, ownerId: 2, kind: 'TRANSACTION' as const, unit: 'DOLLARS' as const, amount: most };
        const limited = evaluate(only([{ ...limit, bound: 'MAXIMUM' }]), one.facts);
        const counted = Math.min(most, one.facts.amountCents ?? 0);
        const smaller = evaluate(only([]), { ...one.facts, amountCents: counted });
        const amounts = ({ flows }: Decision) =>
          flows.map(({ actions }) => actions.map(({ points, cashbackCents }) => [points, cashbackCents]));
        expect(amounts(limited)).toEqual(amounts(smaller));
      }),
    );
  });

  it('have the effect CAPPED when they lower the reward', () => {
    fc.assert(
      fc.property(anythingCapped, (one) => {
        for (const { actions, limits } of decide(one).flows) {
          const capped = actions.filter(({ cappedFrom }) => cappedFrom !== null);
          for (const { cappedFrom, points, cashbackCents } of capped) {
            expect(cappedFrom).toBeGreaterThan(points + cashbackCents);
          }
          if (capped.length > 0) expect(limits.map(({ effect }) => effect)).toContain('CAPPED');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('are the only cause of a capped reward', () => {
    fc.assert(
      fc.property(anyPurchase, (one) => {
        const flows = one.campaign.flows.map((flow) => ({ ...flow, limits: [] }));
        const decision = decide({ ...one, campaign: { ...one.campaign, flows } });
        expect(
          decision.flows.flatMap(({ actions }) => actions.filter(({ cappedFrom }) => cappedFrom !== null)),
        ).toEqual([]);
      }),
    );
  });
});

/** The rewards of one member under one limit in one period. */
interface Given {
  readonly limit: Limit;
  readonly events: number;
  readonly points: number;
}

interface Books {
  /** Usage as the sum of the decisions' charges. */
  readonly usage: Map<string, number>;
  /** Rewards, counted independently of the charges. */
  readonly given: Map<string, Given>;
}

function tally(
  flow: FlowOutcome,
  limits: readonly Limit[],
  { happened, books: { usage, given } }: { readonly happened: Facts; readonly books: Books },
) {
  for (const limit of limits) {
    if (limit.kind !== 'USER') continue;
    const name = usageName(limit.id, periodOf(limit.period, happened.occurredAt, happened.timeZone));
    const { events, points } = given.get(name) ?? { events: 0, points: 0 };
    given.set(name, { limit, events: events + 1, points: points + countedPoints(flow) });
    const charge = flow.limits.find(({ limitId }) => limitId === limit.id)?.charge ?? 0;
    usage.set(name, (usage.get(name) ?? 0) + charge);
  }
}

function limitsOf({ flows }: Campaign, { flowId }: FlowOutcome): readonly Limit[] {
  return flows.find(({ id }) => id === flowId)?.limits ?? [];
}

describe('a larger purchase', () => {
  const growing = (condition: Condition): Condition =>
    condition.attribute === 'BASKET_SIZE' ? { ...condition, operator: 'GREATER_THAN' } : condition;

  /** The same campaign without conditions that require a small basket. */
  function withoutMaximumBasket(campaign: Campaign): Campaign {
    const flows = campaign.flows.map((flow) => ({
      ...flow,
      conditionGroups: flow.conditionGroups.map((group) => ({ ...group, conditions: group.conditions.map(growing) })),
    }));
    return { ...campaign, flows };
  }

  it('earns at least as much, unless a condition requires a small purchase', () => {
    fc.assert(
      fc.property(anyPurchase, fc.integer({ min: 0, max: maximumAmountCents }), (one, more) => {
        const campaign = withoutMaximumBasket(one.campaign);
        const amountCents = Math.min(maximumAmountCents, (one.facts.amountCents ?? 0) + more);
        const [smaller, larger] = [one.facts, { ...one.facts, amountCents }].map((happened) =>
          decide({ ...one, campaign, facts: happened }),
        );
        fc.pre(larger?.refused !== 'points_out_of_range');
        for (const [position, flow] of (smaller?.flows ?? []).entries()) {
          const other = larger?.flows[position];
          if (!other) throw new Error('a flow is missing');
          expect(sumOf(other, 'points')).toBeGreaterThanOrEqual(sumOf(flow, 'points'));
          expect(sumOf(other, 'cashbackCents')).toBeGreaterThanOrEqual(sumOf(flow, 'cashbackCents'));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
