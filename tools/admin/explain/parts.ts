import { conditionKind, limitKind } from '../../../shared/domain/campaign/document/campaign.ts';
import { limitUnits } from '../../../shared/domain/campaign/document/kinds/limits.ts';
import { oneOf, say, textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import type {
  ConditionOutcome,
  GroupOutcome,
  LimitOutcome,
} from '../../../shared/domain/campaign/evaluation/decision.ts';
import { amountInWords } from '../../../shared/domain/campaign/words/amounts.ts';
import { valueInWords } from '../../../shared/domain/campaign/words/explanation.ts';
import { count, namedId } from '../cli/text.ts';

/** The parts of a decided flow in words. The kinds of parts contain the sentences; this file formats the amounts. */

/** The name of a status tier of the program that a decision is about; undefined when it is not known. */
export type TierName = (id: number) => string | undefined;

/** Explains the result of a condition group and of each of its conditions. */
export function explainGroup({ groupId, logic, holds, conditions }: GroupOutcome, tierName: TierName): string[] {
  const needed = logic === 'ANY' ? 'any of its conditions' : 'all of its conditions';
  return [
    `Group ${groupId}, which needs ${needed}, ${holds ? 'held' : 'did not hold'}:`,
    ...conditions.map((condition) => `  ${explainCondition(namedCondition(condition, tierName))}`),
  ];
}

function namedCondition(condition: ConditionOutcome, tierName: TierName): ConditionOutcome {
  const named = (value: ConditionOutcome['actual']) =>
    Array.isArray(value) ? withTierNames(condition.attribute, value, tierName) : value;
  return { ...condition, needed: named(condition.needed), actual: named(condition.actual) };
}

/** The values of a condition or multiplier, with the names of status tiers, which it knows by their numbers. */
const withTierNames = (attribute: string, values: readonly (number | string)[], tierName: TierName): string[] =>
  values.map((value) =>
    attribute === 'CUSTOMER_STATUS' ? namedId(Number(value), tierName(Number(value))) : String(value),
  );

function explainCondition(condition: ConditionOutcome): string {
  const found = valueInWords(condition.actual, conditionKind(condition.attribute).unit);
  return `${conditionInWords(condition)}, ${condition.holds ? 'held' : 'did not hold'}: it was ${found}`;
}

/**
 * Explains a condition of a refused request. The platform keeps a member's value for a refused request only if the
 * value is a number.
 */
export function explainFailedCondition(condition: ConditionInWords & { readonly actual?: number | undefined }): string {
  const { attribute, actual } = condition;
  const found = actual === undefined ? '' : `: it was ${valueInWords(actual, conditionKind(attribute).unit)}`;
  return `${conditionInWords(condition)}, did not hold${found}`;
}

type ConditionInWords = Pick<ConditionOutcome, 'conditionId' | 'attribute' | 'name' | 'operator' | 'needed'>;

function conditionInWords({ conditionId, attribute, name, operator, needed }: ConditionInWords): string {
  const { unit, words } = conditionKind(attribute);
  const values = Array.isArray(needed) ? oneOf(needed.map((one) => `“${one}”`)) : say`${valueInWords(needed, unit)}`;
  return `condition ${conditionId}, that ${textOf(words({ operator, needed: values, name: say`${name ?? ''}` }))}`;
}

/** Explains a limit and its effect on the reward. */
export function explainLimit(limit: LimitOutcome): string {
  const { limitId, kind, bound, unit, amount, period, used, charge } = limit;
  const allowed = `${bound === 'MINIMUM' ? 'at least' : 'at most'} ${amountInWords(amount, limitUnits[unit].unit)}`;
  const use = period === null ? '' : `; used before: ${count(used)}, by this: ${count(charge)}`;
  const words = textOf(limitKind(kind).words(say`${period ?? ''}`));
  return `Limit ${limitId} (${allowed} ${words}${use}) ${effectInWords(limit)}.`;
}

function effectInWords({ effect, unit }: LimitOutcome): string {
  switch (effect) {
    case 'NONE':
      return 'changed nothing';
    case 'CAPPED':
      return unit === 'DOLLARS' ? 'capped the amount that counts' : 'reduced the points';
    case 'REFUSED':
      return 'refused the reward';
  }
}
