import * as z from 'zod/mini';
import { Instant, timeOf } from '../instant.ts';
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
  /** Runs up to, and not at, this instant. Null: until paused or ended. */
  endsAt: z.nullable(Instant),
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

const rewarding: ReadonlySet<Campaign['status']> = new Set(['SCHEDULED', 'ACTIVE', 'ENDED']);

/**
 * Whether the campaign rewards what happens at an instant. The schedule alone decides between SCHEDULED,
 * ACTIVE and ENDED: the state follows the clock a little later than the clock itself, and what happened
 * before the end may be told after it.
 */
export function isRunning(campaign: Campaign, at: Date): boolean {
  if (campaign.isDeleted) return false;
  if (!rewarding.has(campaign.status)) return false;
  if (at.getTime() < timeOf(campaign.startsAt)) return false;
  if (campaign.endsAt === null) return campaign.status !== 'ENDED';
  return at.getTime() < timeOf(campaign.endsAt);
}
