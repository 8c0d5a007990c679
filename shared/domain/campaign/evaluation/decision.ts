import * as z from 'zod/mini';
import type { Action, Condition, Limit } from '../document/campaign.ts';
import { Facts } from '../document/facts.ts';
import type { LimitUnit } from '../document/kinds/limits.ts';

/**
 * The decision of an evaluation, with its reasons. The decision is stored as the eligibility snapshot, from which
 * refunds are computed.
 */

/**
 * The name of a kind. The name is not checked again when a snapshot is read. So endpoints that only store or move
 * snapshots do not load the kinds.
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
  /** The actual value; of a long list only the first values. Null when the value is unknown. */
  actual: Observed,
  /** The value that the condition compares with; of a long list only the first values. */
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
  /** The bound, as a number of events, points or cents. */
  amount: z.int(),
  /** The calendar period of the event; null for limits of one transaction. */
  period: z.nullable(z.string()),
  /** The member's use of the limit in `period` before the event; 0 for a limit of one transaction. */
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
  /** The points or cents without maximums, if a maximum reduced them; otherwise null. */
  cappedFrom: z.nullable(z.int()),
  /**
   * For a transfer, the two programs and the number of points that leave the first program; null for every other
   * action.
   */
  transfer: z.nullable(z.object({ fromPartnerId: z.int(), toPartnerId: z.int(), points: z.int() })),
});
export type ActionOutcome = z.infer<typeof ActionOutcome>;

/** The results of a flow. Only REWARDED moves points or money. */
export const flowResults = [
  'REWARDED',
  /** The flow rewards a different trigger. */
  'OTHER_TRIGGER',
  /** A condition group does not hold. */
  'NOT_QUALIFIED',
  'BELOW_MINIMUM',
  /** A payment or transfer exceeds a maximum. */
  'ABOVE_MAXIMUM',
  /** The member has used up a limit in the period. */
  'LIMIT_REACHED',
  /** The points to pay or to move are not a multiple of the increment. */
  'NO_MULTIPLE',
  /** No item of the purchase fulfils all conditions together. */
  'NO_MATCHING_ITEM',
  /** The context of the event has no usable amount in the field that the flow rewards. */
  'NO_AMOUNT',
  /** The campaign takes points, and an earlier flow has taken them. */
  'EARLIER_FLOW',
  /** The reward is less than one point or cent. */
  'WORTH_NOTHING',
  /** The flow has no action: its connect-only campaign counts the member as registered. */
  'COUNTED',
] as const;
export type FlowResult = (typeof flowResults)[number];

export const FlowOutcome = z.object({
  flowId: z.int(),
  result: z.enum(flowResults),
  groups: z.array(GroupOutcome),
  multipliers: z.array(MultiplierOutcome),
  limits: z.array(LimitOutcome),
  actions: z.array(ActionOutcome),
  /**
   * The cents that the flow rewards instead of the whole amount of the event: the cents of the chosen items, or the
   * amount in the context of a custom event.
   */
  countedCents: z.optional(z.int()),
  /** Whether a refund tests conditions and minimums again, for the amount that is left after the refund. */
  reevaluateOnRefund: z.optional(z.boolean()),
});
export type FlowOutcome = z.infer<typeof FlowOutcome>;

export const Decision = z.object({
  campaignId: z.int(),
  campaignVersion: z.int(),
  facts: Facts,
  /** Why no flow was evaluated; null if the flows were evaluated. */
  refused: z.nullable(z.enum(['campaign_not_running', 'partnership_not_active', 'points_out_of_range'])),
  flows: z.array(FlowOutcome),
});
export type Decision = z.infer<typeof Decision>;

/**
 * Whether a connect-only campaign counts the member as registered: one of its flows does, or the campaign has no flow,
 * so every member qualifies.
 */
export function isCounted({ refused, flows }: Decision): boolean {
  return refused === null && (flows.length === 0 || flows.some(({ result }) => result === 'COUNTED'));
}
