import * as z from 'zod/mini';
import { periods } from '../../period.ts';
import { part } from './part.ts';

/** How much a flow rewards at the least and the most. */

/** Events, points or, where dollars are limited, cents. */
const amount = z.int().check(z.gte(0));

/** For one transaction: too little earns nothing, too much earns as the maximum does. */
const TransactionLimit = z.strictObject({
  ...part,
  kind: z.literal('TRANSACTION'),
  bound: z.enum(['MINIMUM', 'MAXIMUM']),
  unit: z.enum(['POINTS', 'DOLLARS']),
  amount,
});

/** For all that one member does in a calendar period of the partnership's time zone. */
const UserLimit = z.strictObject({
  ...part,
  kind: z.literal('USER'),
  bound: z._default(z.literal('MAXIMUM'), 'MAXIMUM'),
  unit: z.enum(['EVENTS', 'POINTS']),
  amount,
  period: z.enum(periods),
});

export const Limit = z.discriminatedUnion('kind', [TransactionLimit, UserLimit]);
export type Limit = z.infer<typeof Limit>;

/** What a campaign is meant to reach; nothing depends on it. */
export const Goal = z.strictObject({
  ...part,
  type: z.enum(['REGISTRATIONS', 'POINTS_EARNED', 'POINTS_REDEEMED']),
  target: z.int().check(z.gte(1)),
});
export type Goal = z.infer<typeof Goal>;
