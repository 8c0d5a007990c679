import * as z from 'zod/mini';
import { Facts } from '../document/facts.ts';
import type { LimitUnit } from '../document/kinds/limits.ts';
import type { Action, Condition, Limit } from '../document/parts.ts';

/** What an evaluation decided and why. It is stored as the eligibility snapshot; refunds read only this. */

/**
 * The name of a kind. A snapshot was written by the code that knew its kinds. Reading one loads no kind, so
 * endpoints that only store or move snapshots stay small.
 */
const kindName = <Name extends string>() => z.custom<Name>((value) => typeof value === 'string');

const Observed = z.union([z.number(), z.string(), z.array(z.string()), z.null()]);

export const ConditionOutcome = z.object({
  conditionId: z.int(),
  attribute: kindName<Condition['attribute']>(),
  /** The name of the attribute, for kinds that have one. Snapshots of earlier releases lack it. */
  name: z.optional(z.string()),
  operator: z.enum(['IS_IN', 'IS_NOT_IN', 'GREATER_THAN', 'LESS_THAN']),
  holds: z.boolean(),
  /** What is the case. */
  actual: Observed,
  /** What the condition needs; the first values of a long list. */
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
  kind: kindName<Limit['kind']>(),
  bound: z.enum(['MINIMUM', 'MAXIMUM']),
  unit: kindName<LimitUnit>(),
  /** What the limit allows or demands: events, points or cents. */
  amount: z.int(),
  /** The calendar period of the event, and what was used in it before; null and 0 for limits of one transaction. */
  period: z.nullable(z.string()),
  used: z.int(),
  /** REFUSED: the limit prevents the reward. CAPPED: the limit makes the reward smaller. */
  effect: z.enum(['NONE', 'CAPPED', 'REFUSED']),
  /** How much of a member's limit the reward uses. */
  charge: z.int(),
});
export type LimitOutcome = z.infer<typeof LimitOutcome>;

export const ActionOutcome = z.object({
  actionId: z.int(),
  kind: kindName<Action['kind']>(),
  /** The rate before multipliers, in the unit of the kind: `baseRate` of `ActionKind`. */
  baseRate: z.int(),
  /** Points that are awarded or paid; for a transfer, the points that arrive. */
  points: z.int(),
  /** Money that is awarded. */
  cashbackCents: z.int(),
  /** The points or cents without maximum limits, when that is more. */
  cappedFrom: z.nullable(z.int()),
  /** The programs between which points move, and how many leave; null for every other action. */
  transfer: z.nullable(z.object({ fromPartnerId: z.int(), toPartnerId: z.int(), points: z.int() })),
});
export type ActionOutcome = z.infer<typeof ActionOutcome>;

/** What a flow came to. Only REWARDED gives or takes something. */
export const flowResults = [
  'REWARDED',
  /** The flow rewards another event. */
  'OTHER_TRIGGER',
  /** A condition group does not hold. */
  'NOT_QUALIFIED',
  'BELOW_MINIMUM',
  /** A payment or transfer exceeds a maximum. */
  'ABOVE_MAXIMUM',
  /** The member has used up a limit in the period. */
  'LIMIT_REACHED',
  /** The points to move are not a multiple of the increment. */
  'NO_MULTIPLE',
  /** The reward is less than one point or cent, or the flow has no action. */
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
  /** Whether a refund tests the conditions on the amount, and minimums, again. */
  reevaluateOnRefund: z.optional(z.boolean()),
});
export type FlowOutcome = z.infer<typeof FlowOutcome>;

export const Decision = z.object({
  campaignId: z.int(),
  campaignVersion: z.int(),
  facts: Facts,
  /** Why no flow was evaluated; null when all were. */
  refused: z.nullable(z.enum(['campaign_not_running', 'partnership_not_active', 'points_out_of_range'])),
  flows: z.array(FlowOutcome),
});
export type Decision = z.infer<typeof Decision>;
