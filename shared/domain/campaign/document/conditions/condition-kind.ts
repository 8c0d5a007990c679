import type * as z from 'zod/mini';
import type { Facts } from '../facts.ts';

/** A value that a condition saw or wanted, as an operator is shown it. */
type Observed = number | string | string[] | null;

/** What a condition found: whether it holds, what is the case, and what it wants. */
export interface Finding {
  holds: boolean;
  actual: Observed;
  needed: Observed;
}

/** One kind of condition: how it is written down, and when it holds. */
export interface ConditionKind<Schema extends z.ZodMiniType> {
  readonly schema: Schema;
  readonly find: (condition: z.infer<Schema>, facts: Facts) => Finding;
}

/** Declares a kind of condition; registry.ts lists them all. */
export function defineCondition<Schema extends z.ZodMiniType>(kind: ConditionKind<Schema>): ConditionKind<Schema> {
  return kind;
}

/** A list may have a thousand values; the version of the campaign has them all. */
const shownValues = 10;

/** The values that a finding shows. */
export function shown(values: readonly string[]): string[] {
  return values.length > shownValues ? [...values.slice(0, shownValues), '…'] : [...values];
}

/** Whether an amount is more, or less, than a bound; one that is not known is neither. */
export function compares(
  actual: number | null,
  operator: 'GREATER_THAN' | 'LESS_THAN',
  bound: number,
): actual is number {
  if (actual === null) return false;
  return operator === 'GREATER_THAN' ? actual > bound : actual < bound;
}
