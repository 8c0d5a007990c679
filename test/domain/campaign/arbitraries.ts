import { maximumAmountCents } from '../../../shared/contracts/limits.ts';
import {
  type Action,
  Campaign,
  type Condition,
  type ConditionGroup,
  Flow,
  type Limit,
  type Multiplier,
} from '../../../shared/domain/campaign/document/campaign.ts';
import {
  type EventFacts,
  Facts,
  type FlowTrigger,
  type PurchasedItem,
  type Usage,
  usageName,
} from '../../../shared/domain/campaign/document/facts.ts';
import { campaignTypes, takesPoints } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { periodOf, periods, weekdays } from '../../../shared/domain/period.ts';
import { fc } from '../../support/fast-check.ts';
import { aCampaign } from '../fixtures.ts';

/**
 * Random campaigns and events. Names, tiers, places and amounts come from small sets, so conditions hold in about half
 * of the cases. Parts receive unique ids afterwards.
 */

type Unnumbered<Part> = Part extends unknown ? Omit<Part, 'id' | 'ownerId'> : never;

/** Names of attributes, and names that every object inherits. */
const names = fc.constantFrom('employer', 'channel', '__proto__', 'constructor', 'hasOwnProperty');
const texts = fc.constantFrom('app', 'shop', 'Corner Coffee', '__proto__');
const values = fc.uniqueArray(texts, { minLength: 1, maxLength: 3 });
const operator = fc.constantFrom('IS_IN' as const, 'IS_NOT_IN' as const);
const comparison = fc.constantFrom('GREATER_THAN' as const, 'LESS_THAN' as const);
const tiers = fc.integer({ min: 1, max: 3 });

/** Amounts near the bounds of limits and conditions, and any other amounts. */
const amounts = fc.oneof(
  fc.constantFrom(0, 1, 20, 99, 100, 4_999, 5_000, 5_001, 10_000, maximumAmountCents),
  fc.integer({ min: 0, max: 20_000 }),
  fc.integer({ min: 0, max: maximumAmountCents }),
);

const triggers: fc.Arbitrary<FlowTrigger> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'SPEND' } as const) },
  fc.constantFrom({ type: 'REGISTRATION' } as const, { type: 'REFERRAL' } as const),
  fc.integer({ min: 7, max: 8 }).map((customTriggerId) => ({ type: 'CUSTOM', customTriggerId }) as const),
);
/** Some flows reward an amount that the event's context contains. */
const flowTriggers = triggers.chain((trigger) =>
  trigger.type === 'CUSTOM'
    ? fc.constantFrom<FlowTrigger>(trigger, { ...trigger, amountField: 'fare' })
    : fc.constant(trigger),
);

const rates = fc.oneof(
  fc.constantFrom(1, 100, 5_700, 10_000),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 100_000_000 }),
);
const awardPoints = fc.record({
  kind: fc.constant('AWARD_POINTS' as const),
  pointsPerDollarBp: rates,
  pointsPerEvent: fc.integer({ min: 0, max: 1_000 }),
});
const awardCashback = fc.record({
  kind: fc.constant('AWARD_CASHBACK' as const),
  shareBp: fc.integer({ min: 0, max: 10_000 }),
  centsPerEvent: fc.integer({ min: 0, max: 1_000 }),
});
const redeemPoints = fc.record({
  kind: fc.constant('REDEEM_POINTS' as const),
  pointValueMicros: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 1_000_000_000_000 })),
  increment: fc.constantFrom(undefined, undefined, 5, 500),
});
const transferPoints = fc.record({
  kind: fc.constant('TRANSFER_POINTS' as const),
  fromPartnerId: fc.constant(2),
  toPartnerId: fc.constant(3),
  conversionRateBp: fc.integer({ min: 1, max: 100_000 }),
  increment: fc.constantFrom(1, 10, 1_000),
});
const awards: fc.Arbitrary<Unnumbered<Action>> = fc.oneof({ weight: 2, arbitrary: awardPoints }, awardCashback);
const someAwards = fc.array(awards, { maxLength: 3 });
/** The actions of a flow: those of one campaign type, or any mixture, which would not be approved. */
const actions: fc.Arbitrary<Unnumbered<Action>[]> = fc.oneof(
  { weight: 4, arbitrary: someAwards },
  { weight: 2, arbitrary: fc.tuple(redeemPoints) },
  { weight: 1, arbitrary: fc.tuple(redeemPoints, awardCashback) },
  { weight: 2, arbitrary: fc.tuple(transferPoints) },
  fc.array(fc.oneof(awards, redeemPoints, transferPoints), { maxLength: 3 }),
);

const itemTexts = fc.constantFrom('coffee', 'tea', 'gift card');
/** Items of a purchase. Their sum may be less or more than the amount of the purchase. */
export const purchasedItems: fc.Arbitrary<PurchasedItem[]> = fc.array(
  fc.record({
    productId: fc.option(itemTexts, { nil: undefined }),
    category: fc.option(itemTexts, { nil: undefined }),
    tags: fc.uniqueArray(itemTexts, { maxLength: 2 }),
    amountCents: amounts,
  }),
  { maxLength: 5 },
);

const conditions: fc.Arbitrary<Unnumbered<Condition>> = fc.oneof(
  fc.record({ attribute: fc.constant('BASKET_SIZE' as const), operator: comparison, amountCents: amounts }),
  fc.record({
    attribute: fc.constant('TOTAL_SPEND' as const),
    operator: fc.constant('GREATER_THAN' as const),
    amountCents: amounts,
  }),
  fc.record({
    attribute: fc.constant('TIME_ELAPSED' as const),
    operator: comparison,
    days: fc.integer({ min: 0, max: 100 }),
  }),
  fc.record({
    attribute: fc.constant('GEOGRAPHY' as const),
    operator,
    values: fc.uniqueArray(fc.constantFrom('US', 'CA', 'Austin, TX'), { minLength: 1 }),
  }),
  fc.record({ attribute: fc.constant('CUSTOM' as const), operator, name: names, values }),
  fc.record({
    attribute: fc.constantFrom('ITEM' as const, 'ITEM' as const, 'CONTAINS_ITEM' as const),
    operator,
    name: fc.constantFrom('PRODUCT' as const, 'CATEGORY' as const, 'TAG' as const),
    values: fc.uniqueArray(itemTexts, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    attribute: fc.constant('CUSTOM_NUMBER' as const),
    operator: comparison,
    name: names,
    value: fc.constantFrom(-1, 0, 2.5, 20),
  }),
  fc.record({
    attribute: fc.constant('SCHEDULE' as const),
    operator,
    days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 6 }),
  }),
);

const groups: fc.Arbitrary<Omit<ConditionGroup, 'id' | 'conditions'> & { conditions: Unnumbered<Condition>[] }> =
  fc.record({
    logic: fc.constantFrom('ANY' as const, 'ALL' as const),
    conditions: fc.array(conditions, { minLength: 1, maxLength: 3 }),
  });

const factorBp = fc.oneof(fc.integer({ min: 5_000, max: 30_000 }), fc.integer({ min: 1, max: 10_000_000 }));
const multipliers: fc.Arbitrary<Unnumbered<Multiplier>> = fc.oneof(
  fc.record({
    attribute: fc.constant('CUSTOMER_STATUS' as const),
    operator,
    statusTierIds: fc.uniqueArray(tiers, { minLength: 1 }),
    factorBp,
  }),
  fc.record({ attribute: fc.constant('VARIABLE' as const), operator, name: names, values, factorBp }),
);

const limits: fc.Arbitrary<Unnumbered<Limit>> = fc.oneof(
  fc.record({
    kind: fc.constant('TRANSACTION' as const),
    bound: fc.constantFrom('MINIMUM' as const, 'MAXIMUM' as const, 'MAXIMUM' as const),
    unit: fc.constantFrom('POINTS' as const, 'DOLLARS' as const),
    amount: amounts,
  }),
  fc.record({
    kind: fc.constant('USER' as const),
    bound: fc.constant('MAXIMUM' as const),
    unit: fc.constant('EVENTS' as const),
    amount: fc.integer({ min: 0, max: 3 }),
    period: fc.constantFrom(...periods),
  }),
  fc.record({
    kind: fc.constant('USER' as const),
    bound: fc.constant('MAXIMUM' as const),
    unit: fc.constant('POINTS' as const),
    amount: amounts,
    period: fc.constantFrom(...periods),
  }),
);

const flows = (of: { readonly actions: typeof actions; readonly trigger: typeof triggers }) =>
  fc.record({
    trigger: of.trigger,
    actions: of.actions,
    // Most flows have no group, because one of several groups almost always fails.
    conditionGroups: fc.oneof(fc.array(groups, { maxLength: 0 }), fc.array(groups, { maxLength: 2 })),
    multipliers: fc.array(multipliers, { maxLength: 3 }),
    limits: fc.array(limits, { maxLength: 3 }),
  });
type UnnumberedFlow = ReturnType<typeof flows> extends fc.Arbitrary<infer Value> ? Value : never;

/** Gives every part a unique id. */
function numbered(unnumbered: readonly UnnumberedFlow[]): Flow[] {
  let last = 0;
  const part = <Part>(one: Part) => ({ ...one, id: ++last, ownerId: 2 });
  return unnumbered.map((flow) =>
    Flow.parse({
      ...flow,
      id: ++last,
      actions: flow.actions.map(part),
      conditionGroups: flow.conditionGroups.map((group) => ({
        ...group,
        id: ++last,
        conditions: group.conditions.map(part),
      })),
      multipliers: flow.multipliers.map(part),
      limits: flow.limits.map(part),
    }),
  );
}

const schedule = fc.record({
  status: fc.constantFrom('ACTIVE' as const, 'ACTIVE' as const, 'ENDED' as const, 'PAUSED' as const),
  endsAt: fc.constantFrom(null, null, '2026-12-31T23:00:00.000-01:00'),
});

/** Any campaign that the schema accepts. Most of them would not be approved. */
export const campaigns: fc.Arbitrary<Campaign> = fc
  .tuple(
    fc.constantFrom(...campaignTypes),
    schedule,
    fc.array(flows({ actions, trigger: flowTriggers }), { maxLength: 3 }),
  )
  .map(([type, more, all]) => Campaign.parse(aCampaign({ type, ...more, flows: numbered(all) })));

/** Running campaigns that award purchases. */
export const earnCampaigns: fc.Arbitrary<Campaign> = fc
  .array(flows({ actions: someAwards, trigger: fc.constant({ type: 'SPEND' }) }), { minLength: 1, maxLength: 3 })
  .map((all) => Campaign.parse(aCampaign({ flows: numbered(all) })));

export const zones = fc.constantFrom(
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'America/St_Johns',
  'America/Havana',
  'Africa/Casablanca',
  'UTC',
);

/** Instants in every valid year, with any offset. */
export const anyInstants = fc
  .record({
    date: fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    offset: fc.constantFrom('Z', '+14:00', '-23:59', '+05:45'),
  })
  .map(({ date, offset }) => date.toISOString().replace('Z', offset));

const instants = fc
  .date({ min: new Date('2026-03-01T00:00:00Z'), max: new Date('2027-01-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Facts of any event. Most of the events happen while the campaign runs. */
export const facts: fc.Arbitrary<EventFacts> = fc
  .record({
    occurredAt: instants,
    trigger: triggers,
    amountCents: fc.option(amounts, { nil: null, freq: 10 }),
    transferPoints: fc.option(fc.constantFrom(0, 1, 10, 999, 1_000, 1_000_000), { nil: null, freq: 2 }),
    partnershipIsActive: fc.integer({ min: 0, max: 20 }).map(Boolean),
    timeZone: zones,
    statusTierId: fc.option(tiers, { nil: null }),
    connectedAt: fc.option(instants, { nil: null }),
    totalSpendCents: amounts,
    location: fc.constantFrom(
      null,
      { country: 'CA', region: null, city: null },
      { country: 'US', region: null, city: null },
      { country: 'US', region: 'TX', city: 'Austin' },
    ),
    attributes: fc.dictionary(names, fc.array(fc.oneof(texts, fc.constantFrom('3', '-7.5')), { maxLength: 2 }), {
      maxKeys: 3,
    }),
  })
  .map((happened) => Facts.parse(happened))
  .chain((happened) =>
    fc
      .record({
        items: fc.option(purchasedItems, { nil: undefined }),
        numbers: fc.constantFrom(undefined, new Map([['fare', 12.34]]), new Map([['fare', -1]])),
      })
      .map((details) => ({ ...happened, ...details })),
  );

/** Purchases with an amount, under an active partnership. */
export const claims: fc.Arbitrary<EventFacts & { amountCents: number }> = fc
  .tuple(facts, amounts)
  .map(([happened, amountCents]) => ({
    ...happened,
    trigger: { type: 'SPEND' },
    partnershipIsActive: true,
    transferPoints: null,
    amountCents,
  }));

/** A member's usage of a campaign's limits before an event: nothing, a part, all, or more. */
function usageOf({ flows: all }: Campaign, { occurredAt, timeZone }: Facts): fc.Arbitrary<Usage> {
  const used = all.flatMap(({ limits: some }) =>
    some.flatMap((limit) =>
      limit.kind === 'USER'
        ? [
            fc.tuple(
              fc.constant(usageName(limit.id, periodOf(limit.period, occurredAt, timeZone))),
              fc.oneof(fc.constantFrom(0, limit.amount, limit.amount + 1), fc.integer({ min: 0, max: limit.amount })),
            ),
          ]
        : [],
    ),
  );
  return fc.tuple(...used).map((entries) => Object.fromEntries(entries));
}

/** A campaign, an event, and the usage of its limits. */
export function occasions<Happened extends Facts>(of: {
  readonly campaigns: fc.Arbitrary<Campaign>;
  readonly facts: fc.Arbitrary<Happened>;
}) {
  return fc
    .tuple(of.campaigns, of.facts)
    .chain(([campaign, happened]) =>
      usageOf(campaign, happened).map((usage) => ({ campaign, facts: happened, usage })),
    );
}

const shuffled = <Part>(parts: readonly Part[]) => fc.shuffledSubarray([...parts], { minLength: parts.length });

function shuffledFlow(flow: Flow): fc.Arbitrary<Flow> {
  const conditionGroups = fc
    .tuple(
      ...flow.conditionGroups.map((group) => shuffled(group.conditions).map((all) => ({ ...group, conditions: all }))),
    )
    .chain(shuffled);
  return fc
    .record({
      actions: shuffled(flow.actions),
      conditionGroups,
      multipliers: shuffled(flow.multipliers),
      limits: shuffled(flow.limits),
    })
    .map((parts) => ({ ...flow, ...parts }));
}

/** The same campaign with its lists shuffled. Flows that take points keep their order, because the first one pays. */
export function shuffledCampaign(campaign: Campaign): fc.Arbitrary<Campaign> {
  return fc
    .tuple(...campaign.flows.map(shuffledFlow))
    .chain((all) => (takesPoints(campaign.type) ? fc.constant(all) : shuffled(all)))
    .map((all) => ({ ...campaign, flows: all }));
}
