import * as z from 'zod/mini';
import type { Facts } from '../facts.ts';
import { basketSize } from './basket-size.ts';
import type { ConditionKind, Finding } from './condition-kind.ts';
import { customAttribute } from './custom-attribute.ts';
import { geography } from './geography.ts';
import { timeElapsed } from './time-elapsed.ts';
import { totalSpend } from './total-spend.ts';

/** Every kind of condition by the attribute that it looks at. A new kind is a file and a line here. */
const kinds = {
  GEOGRAPHY: geography,
  TOTAL_SPEND: totalSpend,
  BASKET_SIZE: basketSize,
  TIME_ELAPSED: timeElapsed,
  CUSTOM: customAttribute,
} as const;

export const Condition = z.discriminatedUnion('attribute', [
  geography.schema,
  totalSpend.schema,
  basketSize.schema,
  timeElapsed.schema,
  customAttribute.schema,
]);
export type Condition = z.infer<typeof Condition>;

/** Conditions of which any, or all, have to hold. */
export const ConditionGroup = z.strictObject({
  id: z.int(),
  logic: z._default(z.enum(['ANY', 'ALL']), 'ANY'),
  conditions: z.array(Condition).check(z.minLength(1)),
});
export type ConditionGroup = z.infer<typeof ConditionGroup>;

/** Asks a condition of the facts. */
export function findingOf(condition: Condition, facts: Facts): Finding {
  // The attribute names the kind whose schema the condition was parsed by.
  const kind = kinds[condition.attribute] as unknown as ConditionKind<z.ZodMiniType<Condition>>;
  return kind.find(condition, facts);
}
