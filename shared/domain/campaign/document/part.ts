import * as z from 'zod/mini';

/** What every part of a campaign has: actions, conditions, multipliers, limits and goals. */
export const part = {
  /** Unique in its campaign, and kept over the versions: what a member used of a limit is counted by it. */
  id: z.int(),
  /** The organisation that owns the part; the other side only reads it. */
  ownerId: z.int(),
};

/** Texts of which one has to be met, or none. */
export const values = z
  .array(z.string().check(z.minLength(1), z.maxLength(255)))
  .check(z.minLength(1), z.maxLength(1_000));

/** Whether something has to be among the values, or must not be. */
export const membership = z.enum(['IS_IN', 'IS_NOT_IN']);

/** An amount has to be more, or less, than another; equal is neither. */
export const comparison = z.enum(['GREATER_THAN', 'LESS_THAN']);
