import * as z from 'zod/mini';
import { Instant, timeOf } from '../../instant.ts';
import { Action } from './action.ts';
import { ConditionGroup } from './conditions/registry.ts';
import { Goal, Limit } from './limit.ts';
import { Multiplier } from './multiplier.ts';
import { FlowTrigger } from './trigger-of-flow.ts';

/** One rule of a campaign: what begins it, whom and how much it rewards. */
export const Flow = z.strictObject({
  id: z.int(),
  trigger: FlowTrigger,
  actions: z.array(Action),
  /** All of them have to hold; with none of them everybody is rewarded. */
  conditionGroups: z._default(z.array(ConditionGroup), []),
  multipliers: z._default(z.array(Multiplier), []),
  limits: z._default(z.array(Limit), []),
  /** Whether a refund asks the conditions again of what is left, instead of keeping the answer of the purchase. */
  reevaluateOnRefund: z._default(z.boolean(), false),
});
export type Flow = z.infer<typeof Flow>;

const campaignStatuses = ['DRAFT', 'IN_REVIEW', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
export const campaignTypes = ['EARN', 'REDEEM', 'CONNECT_ONLY', 'TRANSFER'] as const;

/** A time in which a campaign rewarded nothing: from the first instant on, up to and not at the second. */
const Pause = z.object({ from: Instant, to: z.nullable(Instant) });
export type Pause = z.infer<typeof Pause>;

/** A campaign: what is rewarded, by how much, from when to when. */
export const Campaign = z.object({
  id: z.int(),
  /** Counts up with every approved edit; an award names the version it was made under. */
  version: z.int().check(z.gte(1)),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  ownerId: z.int(),
  name: z.string(),
  description: z.nullable(z.string()),
  logo: z.nullable(z.string()),
  type: z.enum(campaignTypes),
  status: z.enum(campaignStatuses),
  /** Runs from this instant on. */
  startsAt: Instant,
  /** Runs up to, and not at, this instant; that of its end when it was ended by hand. Null: until paused or ended. */
  endsAt: z.nullable(Instant),
  /** In the order in which they came; the last one lasts while it has no end. */
  pauses: z._default(z.array(Pause), []),
  isDeleted: z.boolean(),
  createdAt: z.string(),
  flows: z.array(Flow),
  goals: z._default(z.array(Goal), []),
  /** The template that it was made from. */
  templateId: z._default(z.nullable(z.int()), null),
});
export type Campaign = z.infer<typeof Campaign>;

/** Whether anybody but its makers gets to see the campaign: not while it is written, nor once it is deleted. */
export function isListed({ status, isDeleted }: Campaign): boolean {
  return !isDeleted && status !== 'DRAFT' && status !== 'IN_REVIEW';
}

/**
 * Whether the campaign rewards what happens at an instant. The schedule and the pauses decide, and not the
 * state: that follows the clock a little later than the clock itself, and what happened before the end, or
 * before or in a pause, may be told after it.
 */
export function isRunning(campaign: Campaign, at: Date): boolean {
  const time = at.getTime();
  if (!isListed(campaign) || time < timeOf(campaign.startsAt)) return false;
  const isOver = campaign.endsAt === null ? campaign.status === 'ENDED' : time >= timeOf(campaign.endsAt);
  return !isOver && !isPaused(campaign, time);
}

/** Whether a pause covers a time. One that nobody wrote down covers all of it. */
function isPaused({ status, pauses }: Campaign, time: number): boolean {
  if (status === 'PAUSED' && pauses.at(-1)?.to !== null) return true;
  return pauses.some(({ from, to }) => time >= timeOf(from) && (to === null || time < timeOf(to)));
}
