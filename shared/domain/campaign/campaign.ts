import * as z from 'zod/mini';

/**
 * A campaign: what is rewarded, by how much, from when to when. Rates are whole numbers of a fixed
 * small unit, because as a float 0.57 points per dollar would pay 56 points on $100.
 */

/** Points are earned at a rate per dollar, in ten-thousandths of a point. */
const AwardPoints = z.strictObject({
  id: z.int(),
  kind: z.literal('AWARD_POINTS'),
  /** The organisation that owns the action; the other side only reads it. */
  ownerId: z.int(),
  pointsPerDollarBp: z.int().check(z.gte(0), z.lte(100_000_000)),
});

/** Points are spent at a value each, in millionths of a dollar. */
const RedeemPoints = z.strictObject({
  id: z.int(),
  kind: z.literal('REDEEM_POINTS'),
  ownerId: z.int(),
  pointValueMicros: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
});

export const Action = z.discriminatedUnion('kind', [AwardPoints, RedeemPoints]);
export type Action = z.infer<typeof Action>;

/** Scales the base rate for the members whose status tier is, or is not, one of those named. */
export const Multiplier = z.strictObject({
  id: z.int(),
  ownerId: z.int(),
  attribute: z.literal('CUSTOMER_STATUS'),
  operator: z.enum(['IS_IN', 'IS_NOT_IN']),
  statusTierIds: z.array(z.int()).check(z.minLength(1)),
  /** Ten-thousandths: 15000 is one and a half times. */
  factorBp: z.int().check(z.gte(1), z.lte(10_000_000)),
});
export type Multiplier = z.infer<typeof Multiplier>;

export const Flow = z.strictObject({
  id: z.int(),
  trigger: z.strictObject({ type: z.literal('SPEND') }),
  actions: z.array(Action).check(z.minLength(1)),
  multipliers: z._default(z.array(Multiplier), []),
});
export type Flow = z.infer<typeof Flow>;

const campaignStatuses = ['DRAFT', 'IN_REVIEW', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
export const campaignTypes = ['EARN', 'REDEEM', 'CONNECT_ONLY', 'TRANSFER'] as const;

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
  /** ISO 8601; runs from this instant on. */
  startsAt: z.string(),
  /** ISO 8601; runs up to, and not at, this instant. Null: until paused or ended. */
  endsAt: z.nullable(z.string()),
  isDeleted: z.boolean(),
  createdAt: z.string(),
  flows: z.array(Flow),
});
export type Campaign = z.infer<typeof Campaign>;

/** Whether anybody but its makers gets to see the campaign: not while it is written, nor once it is deleted. */
export function isListed({ status, isDeleted }: Campaign): boolean {
  return !isDeleted && status !== 'DRAFT' && status !== 'IN_REVIEW';
}

/**
 * Whether the campaign rewards what happens at an instant. The schedule alone decides between
 * SCHEDULED and ACTIVE: the state follows the clock a little later than the clock itself.
 */
export function isRunning(campaign: Campaign, at: Date): boolean {
  if (campaign.isDeleted) return false;
  if (campaign.status !== 'ACTIVE' && campaign.status !== 'SCHEDULED') return false;
  if (at.getTime() < Date.parse(campaign.startsAt)) return false;
  return campaign.endsAt === null || at.getTime() < Date.parse(campaign.endsAt);
}
