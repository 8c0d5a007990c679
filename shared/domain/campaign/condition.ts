import * as z from 'zod/mini';

/** Whom a flow rewards: conditions on the member and the purchase, in groups that all have to hold. */

const part = {
  id: z.int(),
  /** The organisation that owns the part; the other side only reads it. */
  ownerId: z.int(),
};
const membership = z.enum(['IS_IN', 'IS_NOT_IN']);
const comparison = z.enum(['GREATER_THAN', 'LESS_THAN']);
const values = z.array(z.string().check(z.minLength(1), z.maxLength(255))).check(z.minLength(1), z.maxLength(1_000));

export const Condition = z.discriminatedUnion('attribute', [
  /** Countries (ISO 3166) or US cities. */
  z.strictObject({ ...part, attribute: z.literal('GEOGRAPHY'), operator: membership, values }),
  /** What the member spent since the account was connected. */
  z.strictObject({
    ...part,
    attribute: z.literal('TOTAL_SPEND'),
    operator: z.literal('GREATER_THAN'),
    amountCents: z.int().check(z.gte(0)),
  }),
  z.strictObject({
    ...part,
    attribute: z.literal('BASKET_SIZE'),
    operator: comparison,
    amountCents: z.int().check(z.gte(0)),
  }),
  /** Since the account was connected. */
  z.strictObject({
    ...part,
    attribute: z.literal('TIME_ELAPSED'),
    operator: comparison,
    days: z.int().check(z.gte(0)),
  }),
  z.strictObject({
    ...part,
    attribute: z.literal('CUSTOM'),
    operator: membership,
    name: z.string().check(z.minLength(1), z.maxLength(255)),
    values,
  }),
]);
export type Condition = z.infer<typeof Condition>;

/** Conditions of which any, or all, have to hold. */
export const ConditionGroup = z.strictObject({
  id: z.int(),
  logic: z.enum(['ANY', 'ALL']),
  conditions: z.array(Condition).check(z.minLength(1)),
});
export type ConditionGroup = z.infer<typeof ConditionGroup>;
