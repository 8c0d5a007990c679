import { actionKind, conditionKind, limitKind } from '../../../shared/domain/campaign/document/campaign.ts';
import { type Facts, isByDollar } from '../../../shared/domain/campaign/document/facts.ts';
import type { Unit } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { limitUnits } from '../../../shared/domain/campaign/document/kinds/limits.ts';
import { capitalised, oneOf, say, textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import type {
  ActionOutcome,
  ConditionOutcome,
  FlowOutcome,
  GroupOutcome,
  LimitOutcome,
} from '../../../shared/domain/campaign/evaluation/decision.ts';
import { amountInWords, decimal, rateInWords } from '../../../shared/domain/campaign/words/amounts.ts';
import { rateWords } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { count, dollars, namedId } from '../cli/text.ts';

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
export const withTierNames = (attribute: string, values: readonly (number | string)[], tierName: TierName): string[] =>
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

/** A value with its unit, or texts in quotation marks. */
export function valueInWords(value: ConditionOutcome['actual'], unit: Unit | null): string {
  if (value === null) return 'not known';
  if (Array.isArray(value)) return value.map((text) => `“${text}”`).join(', ') || 'nothing';
  if (typeof value === 'string') return `“${value}”`;
  return unit === null ? count(value) : amountInWords(value, unit);
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

/** Explains the calculation of an action's points or money. */
export function explainAction(action: ActionOutcome, flow: FlowOutcome, facts: Facts): string[] {
  const { effect, rateUnit, term } = actionKind(action.kind);
  const rate = rateInWords(decimal(action.baseRate, rateUnit.decimals), rateUnit.of);
  const byDollar = flow.countedCents !== undefined || isByDollar(facts.trigger);
  const per = byDollar ? 'dollar' : 'event';
  const factors = flow.multipliers.filter(({ matched }) => matched).map(({ factorBp }) => `× ${decimal(factorBp, 4)}`);
  const isPaid = effect === 'payment';
  const terms = [baseInWords(facts, flow), term(rate, per), ...(isPaid ? [] : factors)].join(' ');
  const worth = isPaid && factors.length > 0 ? ` (the point’s worth ${factors.join(' ')})` : '';
  return [
    actionSentence(action, per),
    `${terms}${worth} came to ${resultInWords(action, action.cappedFrom)}, rounded ${isPaid ? 'up' : 'down'}.`,
    ...(action.cappedFrom === null ? [] : [`Limits reduced it to ${resultInWords(action)}.`]),
    ...(action.transfer === null ? [] : [explainTransfer(action.transfer, action.points)]),
  ];
}

/** The action as a sentence, without the names of the two sides, which a decision does not contain. */
function actionSentence({ kind, baseRate, transfer }: ActionOutcome, per: 'dollar' | 'event'): string {
  const clause = actionKind(kind).words({
    ...rateWords(kind, baseRate),
    per,
    merchant: say`the merchant`,
    program: say`the program`,
    from: say`organisation ${String(transfer?.fromPartnerId)}`,
    to: say`organisation ${String(transfer?.toPartnerId)}`,
  });
  return `${textOf(capitalised(clause))}.`;
}

/** The points or money of an action: `beforeLimits` if it is given, otherwise the final amount. */
export function resultInWords({ kind, points, cashbackCents }: ActionOutcome, beforeLimits: number | null = null) {
  const { unit } = actionKind(kind);
  return amountInWords(beforeLimits ?? (unit === 'cents' ? cashbackCents : points), unit);
}

/** The quantity that the rate is applied to. */
function baseInWords({ trigger, amountCents, transferPoints }: Facts, { countedCents }: FlowOutcome): string {
  if (transferPoints !== null) return `${count(transferPoints)} points`;
  if (countedCents !== undefined) return dollars(countedCents);
  return trigger.type === 'SPEND' ? dollars(amountCents ?? 0) : '1 event';
}

function explainTransfer(transfer: NonNullable<ActionOutcome['transfer']>, arrived: number): string {
  const { fromPartnerId, toPartnerId, points } = transfer;
  return (
    `${count(points)} points left the program of organisation ${fromPartnerId}, ` +
    `${count(arrived)} arrived in the program of organisation ${toPartnerId}.`
  );
}
