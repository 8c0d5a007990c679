import { memoizeObject } from '../../memoize.ts';
import {
  type Action,
  actionKind,
  type Campaign,
  type Condition,
  type ConditionGroup,
  conditionKind,
  type Flow,
  type Limit,
  limitKind,
  type Multiplier,
  multiplierKind,
} from '../document/campaign.ts';
import type { ActionKind } from '../document/kinds/actions.ts';
import type { ConditionKind } from '../document/kinds/kind.ts';
import type { LimitKind } from '../document/kinds/limits.ts';
import type { MultiplierKind } from '../document/kinds/multipliers.ts';
import type { ConditionOutcome } from './decision.ts';

/** Finds, once for each version of a campaign, what evaluation needs and no event changes. */

/** A condition with its kind, and the part of its outcome that is the same for every event. */
export interface PreparedCondition {
  readonly condition: Condition;
  readonly kind: ConditionKind;
  readonly named: Pick<ConditionOutcome, 'conditionId' | 'attribute' | 'name' | 'operator'>;
  readonly needed: ConditionOutcome['needed'];
}

export interface PreparedGroup {
  readonly group: ConditionGroup;
  readonly conditions: readonly PreparedCondition[];
}

interface PreparedMultiplier {
  readonly multiplier: Multiplier;
  readonly kind: MultiplierKind;
}

export interface PreparedLimit {
  readonly limit: Limit;
  readonly kind: LimitKind;
}

export interface PreparedAction {
  readonly action: Action;
  readonly kind: ActionKind;
  readonly route: ReturnType<ActionKind['route']>;
}

export interface PreparedFlow {
  readonly flow: Flow;
  readonly groups: readonly PreparedGroup[];
  readonly multipliers: readonly PreparedMultiplier[];
  readonly limits: readonly PreparedLimit[];
  readonly actions: readonly PreparedAction[];
  /** Whether a condition of the flow chooses items of the purchase. */
  readonly mayChooseItems: boolean;
  /** Whether every action is an award. Limits may cap awards only. */
  readonly isAward: boolean;
}

/** The flows of a campaign, prepared at its first evaluation. */
export const preparedFlows = memoizeObject(({ flows }: Pick<Campaign, 'flows'>): readonly PreparedFlow[] =>
  flows.map(prepareFlow),
);

function prepareFlow(flow: Flow): PreparedFlow {
  const groups = flow.conditionGroups.map((group) => ({ group, conditions: group.conditions.map(prepareCondition) }));
  const actions = flow.actions.map((action) => {
    const kind = actionKind(action.kind);
    return { action, kind, route: kind.route(action) };
  });
  return {
    flow,
    groups,
    multipliers: flow.multipliers.map((multiplier) => ({ multiplier, kind: multiplierKind(multiplier.attribute) })),
    limits: flow.limits.map((limit) => ({ limit, kind: limitKind(limit.kind) })),
    actions,
    mayChooseItems: groups.some(({ conditions }) => conditions.some(({ kind }) => kind.chooses !== undefined)),
    isAward: actions.every(({ kind }) => kind.effect === 'award'),
  };
}

function prepareCondition(condition: Condition): PreparedCondition {
  const kind = conditionKind(condition.attribute);
  const needed = kind.needed(condition);
  return {
    condition,
    kind,
    named: {
      conditionId: condition.id,
      attribute: condition.attribute,
      ...('name' in condition && { name: condition.name }),
      operator: condition.operator,
    },
    needed: typeof needed === 'number' ? needed : shorten(needed),
  };
}

/** Shortens a list, which may have a thousand values. The version of the campaign contains all of them. */
export function shorten(values: readonly string[]): string[] {
  return values.length > 10 ? [...values.slice(0, 10), '…'] : [...values];
}
