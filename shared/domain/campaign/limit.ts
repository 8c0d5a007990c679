import * as z from 'zod/mini';

/** How much a flow rewards at the least and the most. */

const part = {
  id: z.int(),
  /** The organisation that owns the limit; the other side only reads it. */
  ownerId: z.int(),
};

/** Points or, where dollars are limited, cents. */
const amount = z.int().check(z.gte(0));

export const Limit = z.discriminatedUnion('kind', [
  /** For one transaction. */
  z.strictObject({
    ...part,
    kind: z.literal('TRANSACTION'),
    bound: z.enum(['MINIMUM', 'MAXIMUM']),
    unit: z.enum(['POINTS', 'DOLLARS']),
    amount,
  }),
  /** For all that one member does in a period. */
  z.strictObject({
    ...part,
    kind: z.literal('USER'),
    bound: z.literal('MAXIMUM'),
    unit: z.enum(['EVENTS', 'POINTS']),
    amount,
    period: z.enum(['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR', 'LIFETIME']),
  }),
]);
export type Limit = z.infer<typeof Limit>;

/** What a campaign is meant to reach; nothing depends on it. */
export const Goal = z.strictObject({
  ...part,
  type: z.enum(['REGISTRATIONS', 'POINTS_EARNED', 'POINTS_REDEEMED']),
  target: z.int().check(z.gte(1)),
});
export type Goal = z.infer<typeof Goal>;
