import * as z from 'zod/mini';
import type { ActionKind } from './kinds/actions.ts';
import type { GoalKind } from './kinds/goals.ts';
import type { ConditionKind } from './kinds/kind.ts';
import { kindsByName, part, unionOf } from './kinds/kind.ts';
import type { LimitKind } from './kinds/limits.ts';
import type { MultiplierKind } from './kinds/multipliers.ts';
import { actionKinds, conditionKinds, goalKinds, limitKinds, multiplierKinds } from './kinds/registry.ts';

/** The schemas of a campaign's parts, and a lookup of each part's kind. All are derived from the registry. */

export const Condition = unionOf('attribute', conditionKinds);
export type Condition = z.infer<typeof Condition>;
export const conditionKind = kindsByName<ConditionKind>(conditionKinds);

/** A group of conditions: any of them, or all of them, have to hold. */
export const ConditionGroup = z.strictObject({
  id: z.int(),
  logic: z._default(z.enum(['ANY', 'ALL']), 'ANY'),
  conditions: z.array(Condition).check(z.minLength(1)),
});
export type ConditionGroup = z.infer<typeof ConditionGroup>;

export const Action = unionOf('kind', actionKinds);
export type Action = z.infer<typeof Action>;
export const actionKind = kindsByName<ActionKind>(actionKinds);

export const Multiplier = unionOf('attribute', multiplierKinds);
export type Multiplier = z.infer<typeof Multiplier>;
export const multiplierKind = kindsByName<MultiplierKind>(multiplierKinds);

export const Limit = unionOf('kind', limitKinds);
export type Limit = z.infer<typeof Limit>;
export const limitKind = kindsByName<LimitKind>(limitKinds);

/** A target for the totals of a campaign. */
export const Goal = z.strictObject({
  ...part,
  type: z.enum(goalKinds.map(({ name }) => name)),
  target: z.int().check(z.gte(1)),
});
export type Goal = z.infer<typeof Goal>;
export const goalKind = kindsByName<GoalKind>(goalKinds);
