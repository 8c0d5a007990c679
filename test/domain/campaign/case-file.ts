import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import { type EventFacts, Facts, type Usage, usageName } from '../../../shared/domain/campaign/document/facts.ts';
import { flowResults } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { aCampaign } from '../fixtures.ts';

/**
 * Reads cases.json, in which people can read what campaigns give. A case contains only the fields that differ from the
 * defaults at the top of the file. Ids and owners of parts are left out where they do not matter. Every schema is
 * strict, because a case with a misspelt field would test less than it seems to.
 */

const count = z.int().check(z.gte(0));
const ActionExpected = z.strictObject({
  points: z._default(count, 0),
  cashbackCents: z._default(count, 0),
  cappedFrom: z._default(z.nullable(count), null),
  /** The points that a transfer takes from the source program. */
  transfer: z._default(z.nullable(count), null),
});

const FlowExpected = z.strictObject({
  result: z.enum(flowResults),
  ...ActionExpected.shape,
  /** Replaces the fields above when a flow has several actions. */
  actions: z.optional(z.array(ActionExpected)),
  /** The failed conditions of the failed groups. */
  failed: z._default(z.array(z.strictObject({ attribute: z.string(), actual: z.unknown(), needed: z.unknown() })), []),
  /** Whether each of the multipliers matched. */
  multipliers: z._default(z.array(z.boolean()), []),
  limits: z._default(
    z.array(
      z.strictObject({
        effect: z.enum(['NONE', 'CAPPED', 'REFUSED']),
        period: z._default(z.nullable(z.string()), null),
        used: z._default(count, 0),
        charge: z._default(count, 0),
      }),
    ),
    [],
  ),
});
export type FlowExpected = z.infer<typeof FlowExpected>;

const FlowWritten = z.partial(
  z.strictObject({
    ...Flow.shape,
    // Parts have no ids in the file. The schema of the domain parses them after they have received ids.
    actions: z.array(z.looseObject({})),
    conditionGroups: z.array(z.looseObject({ conditions: z.array(z.looseObject({})) })),
    multipliers: z.array(z.looseObject({})),
    limits: z.array(z.looseObject({})),
  }),
);
type FlowWritten = z.infer<typeof FlowWritten>;

const CampaignWritten = z.strictObject(
  z.pick(Campaign, { type: true, status: true, startsAt: true, endsAt: true, pauses: true, isDeleted: true }).shape,
);

const FactsWritten = z.strictObject({
  ...Facts.shape,
  items: z.optional(
    z.array(
      z.strictObject({
        productId: z.optional(z.string()),
        category: z.optional(z.string()),
        tags: z._default(z.array(z.string()), []),
        amountCents: count,
      }),
    ),
  ),
  /** The numbers in the context of a custom event. */
  numbers: z.optional(z.record(z.string(), z.number())),
});

/** One case. `FlowExpected` is the outcome of a flow. */
export const Case = z.strictObject({
  name: z.string().check(z.minLength(1)),
  campaign: z.optional(z.partial(CampaignWritten)),
  flow: z.optional(FlowWritten),
  /** Replaces `flow` when a campaign has several. */
  flows: z.optional(z.array(FlowWritten)),
  facts: z.optional(z.partial(FactsWritten)),
  /** The member's earlier usage. Limits are numbered from 1. */
  usage: z._default(z.array(z.strictObject({ limit: count, period: z.string(), used: count })), []),
  /** The faults that prevent the campaign's approval, if any. */
  faults: z._default(z.array(z.string()), []),
  expected: z.union([
    FlowExpected,
    z.strictObject({ flows: z.array(FlowExpected) }),
    z.strictObject({ refused: z.string() }),
  ]),
});
export type Case = z.infer<typeof Case>;

const CaseFile = z.strictObject({
  defaults: z.strictObject({ campaign: CampaignWritten, flow: FlowWritten, facts: FactsWritten }),
  sections: z.array(z.strictObject({ about: z.string(), cases: z.array(Case) })),
});

const { defaults, ...file } = CaseFile.parse(JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8')));

/** All cases, by subject. */
export const { sections } = file;

/** Gives ids to parts that have none: limits are numbered from 1, other parts from 101. */
function numbered(flows: readonly FlowWritten[]) {
  let [limits, others] = [0, 100];
  const part = (written: object) => ({ id: ++others, ownerId: 2, ...written });
  return flows.map(({ actions = [], conditionGroups = [], multipliers = [], ...flow }) => ({
    id: ++others,
    ...flow,
    actions: actions.map(part),
    conditionGroups: conditionGroups.map(({ conditions, ...group }) => ({
      id: ++others,
      ...group,
      conditions: conditions.map(part),
    })),
    multipliers: multipliers.map(part),
    limits: (flow.limits ?? []).map((limit) => ({ id: ++limits, ownerId: 2, ...limit })),
  }));
}

/** Returns the campaign of a case, completed by the defaults. */
export function campaignOf({ campaign, flow, flows }: Case): Campaign {
  const written = flows ?? [flow ?? {}];
  const whole = numbered(written.map((one) => ({ ...defaults.flow, ...one })));
  const details = CampaignWritten.parse({ ...defaults.campaign, ...campaign });
  return aCampaign({ ...details, flows: whole.map((one) => Flow.parse(one)) });
}

/** Returns the facts of a case, completed by the defaults. */
export function factsOfCase({ facts }: Case): EventFacts {
  const { numbers = {}, ...written } = FactsWritten.parse({ ...defaults.facts, ...facts });
  return { ...written, numbers: new Map(Object.entries(numbers)) };
}

/** Returns the member's earlier usage by limit and period. */
export function usageOfCase({ usage }: Case): Usage {
  return Object.fromEntries(usage.map(({ limit, period, used }) => [usageName(limit, period), used]));
}
