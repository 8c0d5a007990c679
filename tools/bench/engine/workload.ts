import type {
  Campaign,
  Condition,
  ConditionGroup,
  Flow,
  Limit,
  Multiplier,
} from '../../../shared/domain/campaign/document/campaign.ts';
import { type Facts, type Usage, usageName } from '../../../shared/domain/campaign/document/facts.ts';
import { periodOf } from '../../../shared/domain/period.ts';
import { seededRandom } from '../../scale/seeded.ts';

/**
 * The input of both engines: campaigns that a retailer may run side by side, and events of members. They are chosen at
 * random from a fixed seed, so they are the same in every run.
 */

/** An event of a member, and the member's use of limits before it. */
export interface EvaluationCase {
  readonly facts: Facts;
  readonly usage: Usage;
}

export interface Workload {
  readonly campaigns: readonly Campaign[];
  readonly cases: readonly EvaluationCase[];
}

/** Makes campaigns and cases. Equal arguments give equal campaigns and cases. */
export function makeWorkload(numberOf: { readonly campaigns: number; readonly cases: number }): Workload {
  const pick = picker(20_261_121);
  const campaigns = Array.from({ length: numberOf.campaigns }, (_, position) => campaignAt(position + 1, pick));
  const cases = Array.from({ length: numberOf.cases }, () => caseFor(campaigns, pick));
  return { campaigns, cases };
}

type Pick = <Value>(values: readonly [Value, ...Value[]]) => Value;

function picker(seed: number): Pick {
  const random = seededRandom(seed);
  return (values) => values[Math.floor(random() * values.length)] ?? values[0];
}

const several = <Value>(length: number, make: () => Value): Value[] => Array.from({ length }, make);
const operators = ['IS_IN', 'IS_NOT_IN'] as const;
const comparisons = ['GREATER_THAN', 'LESS_THAN'] as const;
const places: [string[], ...string[][]] = [['US'], ['US', 'CA'], ['Austin, TX', 'CA'], ['DE', 'FR', 'NL']];

function campaignAt(id: number, pick: Pick): Campaign {
  return {
    id,
    version: 1,
    partnershipUuid: '019b0000-0000-7000-8000-0000000000aa',
    merchantId: 1,
    partnerId: 2,
    ownerId: 2,
    name: `Campaign ${id}`,
    description: null,
    logo: null,
    type: 'EARN',
    status: 'ACTIVE',
    startsAt: pick(['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']),
    endsAt: pick([null, '2026-11-01T00:00:00.000Z']),
    pauses: [],
    isDeleted: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    flows: [flowOf(id * 100, pick)],
    goals: [],
    templateId: null,
  };
}

function flowOf(firstId: number, pick: Pick): Flow {
  let last = firstId;
  const part = () => ({ id: ++last, ownerId: 2 });
  const isSpend = pick([true, true, true, false]);
  const award = { ...part(), kind: 'AWARD_POINTS' as const };
  return {
    id: firstId,
    trigger: isSpend ? { type: 'SPEND' } : { type: 'CUSTOM', customTriggerId: 7 },
    actions: [
      isSpend
        ? { ...award, pointsPerDollarBp: pick([5_700, 10_000, 12_500, 30_000]) }
        : { ...award, pointsPerEvent: pick([5, 30, 250]) },
    ],
    conditionGroups: several(pick([0, 1, 1, 2]), () => groupOf(part, { isSpend, pick })),
    multipliers: several(pick([0, 1, 2]), () => multiplierOf(part, pick)),
    limits: limitsOf(part, { isSpend, pick }),
    reevaluateOnRefund: false,
  };
}

type Part = () => { readonly id: number; readonly ownerId: number };

interface Choice {
  readonly isSpend: boolean;
  readonly pick: Pick;
}

function groupOf(part: Part, choice: Choice): ConditionGroup {
  const logic = choice.pick(['ANY', 'ANY', 'ALL'] as const);
  return { id: part().id, logic, conditions: several(choice.pick([1, 2, 3]), () => conditionOf(part, choice)) };
}

function conditionOf(part: Part, { isSpend, pick }: Choice): Condition {
  const conditions: [Condition, ...Condition[]] = [
    { ...part(), attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: pick([0, 10_000, 100_000]) },
    { ...part(), attribute: 'TIME_ELAPSED', operator: pick(comparisons), days: pick([30, 60, 90]) },
    { ...part(), attribute: 'GEOGRAPHY', operator: pick(operators), values: pick(places) },
    { ...part(), attribute: 'CUSTOM', operator: pick(operators), name: 'channel', values: ['app', 'web'] },
  ];
  const basket = { ...part(), attribute: 'BASKET_SIZE', operator: pick(comparisons), amountCents: 20_000 } as const;
  return pick(isSpend ? [basket, ...conditions] : conditions);
}

function multiplierOf(part: Part, pick: Pick): Multiplier {
  const scaling = { ...part(), operator: pick(operators), factorBp: pick([5_000, 15_000, 20_000]) };
  return pick<Multiplier>([
    { ...scaling, attribute: 'CUSTOMER_STATUS', statusTierIds: pick([[2], [2, 3]]) },
    { ...scaling, attribute: 'VARIABLE', name: 'channel', values: ['app'] },
  ]);
}

function limitsOf(part: Part, { isSpend, pick }: Choice): Limit[] {
  const ofTransaction = { ...part(), kind: 'TRANSACTION' } as const;
  const ofMember = { ...part(), kind: 'USER', bound: 'MAXIMUM' } as const;
  const transaction: Limit[] = isSpend
    ? [
        pick<Limit>([
          { ...ofTransaction, bound: 'MINIMUM', unit: 'DOLLARS', amount: 1_000 },
          { ...ofTransaction, bound: 'MAXIMUM', unit: 'DOLLARS', amount: 30_000 },
          { ...ofTransaction, bound: 'MAXIMUM', unit: 'POINTS', amount: 200 },
        ]),
      ]
    : [];
  const member = pick<Limit>([
    { ...ofMember, unit: 'EVENTS', amount: 3, period: 'DAY' },
    { ...ofMember, unit: 'POINTS', amount: 1_000, period: 'MONTH' },
    { ...ofMember, unit: 'POINTS', amount: 5_000, period: 'YEAR' },
  ]);
  return [...pick([transaction, []]), ...pick([[member], [], []])];
}

function caseFor(campaigns: readonly Campaign[], pick: Pick): EvaluationCase {
  const isSpend = pick([true, true, true, true, false]);
  const facts: Facts = {
    occurredAt: new Date(Date.UTC(2026, 0, 1) + pick(days) * 86_400_000 + pick(days) * 3_600_000).toISOString(),
    trigger: isSpend ? { type: 'SPEND' } : { type: 'CUSTOM', customTriggerId: pick([7, 8]) },
    amountCents: isSpend ? pick([99, 1_000, 1_999, 4_350, 20_000, 20_001, 99_999]) : null,
    transferPoints: null,
    partnershipIsActive: true,
    timeZone: 'America/New_York',
    statusTierId: pick([null, 1, 2, 3]),
    connectedAt: pick([null, '2026-01-01T12:00:00.000Z', '2026-06-01T12:00:00.000Z']),
    totalSpendCents: pick([0, 9_999, 50_000, 200_000]),
    location: pick([
      null,
      { country: 'CA', region: null, city: null },
      { country: 'DE', region: null, city: null },
      { country: 'US', region: 'TX', city: 'Austin' },
      { country: 'US', region: 'NY', city: 'Albany' },
    ]),
    attributes: pick<Facts['attributes']>([{}, { channel: ['app'] }, { channel: ['web'] }, { channel: ['shop'] }]),
  };
  return { facts, usage: usageBefore(campaigns, facts, pick) };
}

const days = Array.from({ length: 364 }, (_, day) => day) as [number, ...number[]];

function usageBefore(campaigns: readonly Campaign[], { occurredAt, timeZone }: Facts, pick: Pick): Usage {
  const used = campaigns
    .flatMap(({ flows }) => flows.flatMap(({ limits }) => limits))
    .flatMap((limit) => (limit.kind === 'USER' ? [limit] : []))
    .map(({ id, period, amount }) => [
      usageName(id, periodOf(period, occurredAt, timeZone)),
      pick([0, Math.floor(amount / 2), amount - 1, amount]),
    ]);
  return Object.fromEntries(used);
}
