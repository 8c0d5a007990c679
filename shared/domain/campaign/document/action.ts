import * as z from 'zod/mini';
import { part } from './part.ts';

/**
 * What a flow does. Rates are whole numbers of a fixed small unit, because as a float 0.57 points per
 * dollar would pay 56 points on $100. What a purchase earns goes by the dollar, anything else by the event.
 */

/** Points of the partner's program: at a rate per dollar, in ten-thousandths of a point, or so many per event. */
const AwardPoints = z.strictObject({
  ...part,
  kind: z.literal('AWARD_POINTS'),
  pointsPerDollarBp: z.optional(z.int().check(z.gte(0), z.lte(100_000_000))),
  pointsPerEvent: z.optional(z.int().check(z.gte(0), z.lte(100_000_000))),
});

/** Points are spent at a value each, in millionths of a dollar. */
const RedeemPoints = z.strictObject({
  ...part,
  kind: z.literal('REDEEM_POINTS'),
  pointValueMicros: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
});

/** Money back: a share of what was spent, in ten-thousandths of it, or so many cents per event. */
const AwardCashback = z.strictObject({
  ...part,
  kind: z.literal('AWARD_CASHBACK'),
  shareBp: z.optional(z.int().check(z.gte(0), z.lte(10_000))),
  centsPerEvent: z.optional(z.int().check(z.gte(0), z.lte(10_000_000))),
});

/** Points move from one program of the member's to another, at a rate, in multiples of an increment. */
const TransferPoints = z.strictObject({
  ...part,
  kind: z.literal('TRANSFER_POINTS'),
  fromPartnerId: z.int(),
  toPartnerId: z.int(),
  /** What a point becomes, in ten-thousandths of a point of the other program. */
  conversionRateBp: z.int().check(z.gte(1), z.lte(100_000_000)),
  increment: z.int().check(z.gte(1), z.lte(1_000_000_000)),
});

export const Action = z.discriminatedUnion('kind', [AwardPoints, RedeemPoints, AwardCashback, TransferPoints]);
export type Action = z.infer<typeof Action>;
export const actionKinds = ['AWARD_POINTS', 'REDEEM_POINTS', 'AWARD_CASHBACK', 'TRANSFER_POINTS'] as const;

/**
 * The rate that an action begins with, before any multiplier:
 * - awards: ten-thousandths of a point, or of a cent, per dollar where something is spent, else per event;
 * - redemptions: millionths of a dollar per point;
 * - transfers: ten-thousandths of a point per point.
 *
 * A share of 5 % is 500 basis points of a dollar, and so 50,000 of a cent: five cents a dollar.
 */
export function baseRateOf(action: Action, isSpend: boolean): number {
  switch (action.kind) {
    case 'AWARD_POINTS':
      return (isSpend ? action.pointsPerDollarBp : (action.pointsPerEvent ?? 0) * 10_000) ?? 0;
    case 'AWARD_CASHBACK':
      return isSpend ? (action.shareBp ?? 0) * 100 : (action.centsPerEvent ?? 0) * 10_000;
    case 'REDEEM_POINTS':
      return action.pointValueMicros;
    case 'TRANSFER_POINTS':
      return action.conversionRateBp;
  }
}
