import * as z from 'zod/mini';
import { actionKinds } from '../document/action.ts';
import { Facts } from '../document/facts.ts';

/** What an evaluation decided and why. Stored as the eligibility snapshot: whoever asks later reads only this. */

const Observed = z.union([z.number(), z.string(), z.array(z.string()), z.null()]);

export const ConditionOutcome = z.object({
  conditionId: z.int(),
  attribute: z.enum(['GEOGRAPHY', 'TOTAL_SPEND', 'BASKET_SIZE', 'TIME_ELAPSED', 'CUSTOM']),
  /** Which CUSTOM attribute it looked at. Decisions of earlier releases do not say. */
  name: z.optional(z.string()),
  operator: z.enum(['IS_IN', 'IS_NOT_IN', 'GREATER_THAN', 'LESS_THAN']),
  holds: z.boolean(),
  /** What is the case. */
  actual: Observed,
  /** What the condition wants; of a long list its first values. */
  needed: Observed,
});
export type ConditionOutcome = z.infer<typeof ConditionOutcome>;

const GroupOutcome = z.object({
  groupId: z.int(),
  logic: z.enum(['ANY', 'ALL']),
  holds: z.boolean(),
  conditions: z.array(ConditionOutcome),
});
export type GroupOutcome = z.infer<typeof GroupOutcome>;

const MultiplierOutcome = z.object({ multiplierId: z.int(), matched: z.boolean(), factorBp: z.int() });

export const LimitOutcome = z.object({
  limitId: z.int(),
  kind: z.enum(['TRANSACTION', 'USER']),
  bound: z.enum(['MINIMUM', 'MAXIMUM']),
  unit: z.enum(['EVENTS', 'POINTS', 'DOLLARS']),
  /** What the limit allows or asks for: events, points or cents. */
  amount: z.int(),
  /** The calendar period that is counted in, and what was used in it before; null for limits of one transaction. */
  period: z.nullable(z.string()),
  used: z.int(),
  /** REFUSED: nothing is rewarded because of it. CAPPED: less counts, or is rewarded, because of it. */
  effect: z.enum(['NONE', 'CAPPED', 'REFUSED']),
  /** What the reward uses of a limit of the member. */
  charge: z.int(),
});
export type LimitOutcome = z.infer<typeof LimitOutcome>;

export const ActionOutcome = z.object({
  actionId: z.int(),
  kind: z.enum(actionKinds),
  /** What the action begins with, in the unit of its kind: `baseRateOf`. */
  baseRate: z.int(),
  /** Points that are awarded, or have to be paid; for a transfer, the points that arrive. */
  points: z.int(),
  /** Money that is awarded. */
  cashbackCents: z.int(),
  /** The points or cents that it would have been without maximum limits, where that is more. */
  cappedFrom: z.nullable(z.int()),
  /** Where points move from and to, and how many leave; null for all but transfers. */
  transfer: z.nullable(z.object({ fromPartnerId: z.int(), toPartnerId: z.int(), points: z.int() })),
});
export type ActionOutcome = z.infer<typeof ActionOutcome>;

/** What became of a flow. All but REWARDED reward nothing. */
export const flowResults = [
  'REWARDED',
  /** Another thing happened than the flow waits for. */
  'OTHER_TRIGGER',
  /** A condition group does not hold. */
  'NOT_QUALIFIED',
  'BELOW_MINIMUM',
  /** More is to be paid, or moved, than a maximum allows. */
  'ABOVE_MAXIMUM',
  /** The member used up what a limit allows in the period. */
  'LIMIT_REACHED',
  /** The points to be moved are no multiple of the increment. */
  'NO_MULTIPLE',
  /** It comes to less than one point or cent, or the flow has no action. */
  'WORTH_NOTHING',
] as const;
export type FlowResult = (typeof flowResults)[number];

export const FlowOutcome = z.object({
  flowId: z.int(),
  result: z.enum(flowResults),
  groups: z.array(GroupOutcome),
  multipliers: z.array(MultiplierOutcome),
  limits: z.array(LimitOutcome),
  actions: z.array(ActionOutcome),
  /** Whether a refund asks again for what the amount has to be: a basket's size, and minimums. */
  reevaluateOnRefund: z.optional(z.boolean()),
});
export type FlowOutcome = z.infer<typeof FlowOutcome>;

export const Decision = z.object({
  campaignId: z.int(),
  campaignVersion: z.int(),
  facts: Facts,
  /** Why nothing at all is rewarded, when that is so. */
  refused: z.nullable(z.enum(['campaign_not_running', 'partnership_not_active', 'points_out_of_range'])),
  flows: z.array(FlowOutcome),
});
export type Decision = z.infer<typeof Decision>;
