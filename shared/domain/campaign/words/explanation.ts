import { actionKind } from '../document/campaign.ts';
import { type Facts, isByDollar } from '../document/facts.ts';
import type { Unit } from '../document/kinds/kind.ts';
import { capitalised, say, textOf } from '../document/kinds/phrase.ts';
import type { ActionOutcome, ConditionOutcome, Decision, FlowOutcome, FlowResult } from '../evaluation/decision.ts';
import { amountInWords, count, decimal, dollars, rateInWords } from './amounts.ts';
import { rateWords } from './flow-sentence.ts';

/** A decision in words: the results, the values that conditions found, and the calculation of each amount. */

/** Why no flow was evaluated, as the rest of a sentence. */
export const refusalInWords: Readonly<Record<NonNullable<Decision['refused']>, string>> = {
  campaign_not_running: 'the campaign was not running at that time',
  partnership_not_active: 'the partnership was not active',
  points_out_of_range: 'it would have come to more points than can be counted',
};

/** The results of flows, each as the rest of a sentence about the flow. */
export const resultsInWords: Readonly<Record<FlowResult, string>> = {
  REWARDED: 'rewarded',
  OTHER_TRIGGER: 'rewards another event',
  NOT_QUALIFIED: 'rewarded nothing, because its conditions did not hold',
  BELOW_MINIMUM: 'rewarded nothing, because a minimum was not reached',
  ABOVE_MAXIMUM: 'rewarded nothing, because it was more than a maximum allows',
  LIMIT_REACHED: 'rewarded nothing, because the member had used up a limit',
  NO_MULTIPLE: 'moved nothing, because the points were not a multiple of the increment',
  NO_MATCHING_ITEM: 'rewarded nothing, because no item of the purchase fulfilled all conditions together',
  NO_AMOUNT: 'rewarded nothing, because the event had no usable amount in the field that the flow rewards',
  EARLIER_FLOW: 'was not needed, because an earlier flow took the points',
  WORTH_NOTHING: 'rewarded nothing, because it came to less than one point or cent',
  COUNTED: 'counted the member as registered',
};

/** A value with its unit, or texts in quotation marks. */
export function valueInWords(value: ConditionOutcome['actual'], unit: Unit | null): string {
  if (value === null) return 'not known';
  if (Array.isArray(value)) return value.map((text) => `“${text}”`).join(', ') || 'nothing';
  if (typeof value === 'string') return `“${value}”`;
  return unit === null ? count(value) : amountInWords(value, unit);
}

/** The amount that a flow counts, if it does not count the whole amount. */
export function countedInWords(countedCents: number, { trigger, amountCents }: Facts): string {
  if (trigger.type !== 'SPEND') return `It rewards the event’s amount of ${dollars(countedCents)}.`;
  return `It rewards the chosen items only: ${dollars(countedCents)} of ${dollars(amountCents ?? 0)}.`;
}

/** Explains the calculation of an action's points or money. */
export function explainAction(action: ActionOutcome, flow: FlowOutcome, facts: Facts): string[] {
  return [
    actionSentence(action, perOf(flow, facts)),
    `${calculationOf(action, flow, facts)}.`,
    ...(action.cappedFrom === null ? [] : [`Limits reduced it to ${resultInWords(action)}.`]),
    ...(action.transfer === null ? [] : [explainTransfer(action.transfer, action.points)]),
  ];
}

const perOf = ({ countedCents }: FlowOutcome, { trigger }: Facts) =>
  countedCents !== undefined || isByDollar(trigger) ? 'dollar' : 'event';

/** The calculation of an action before limits: "$42.50 × 2 points per dollar came to 85 points, rounded down". */
export function calculationOf(action: ActionOutcome, flow: FlowOutcome, facts: Facts): string {
  const { effect, rateUnit, term } = actionKind(action.kind);
  const rate = rateInWords(decimal(action.baseRate, rateUnit.decimals), rateUnit.of);
  const factors = flow.multipliers.filter(({ matched }) => matched).map(({ factorBp }) => `× ${decimal(factorBp, 4)}`);
  const isPaid = effect === 'payment';
  const terms = [baseInWords(facts, flow), term(rate, perOf(flow, facts)), ...(isPaid ? [] : factors)].join(' ');
  const worth = isPaid && factors.length > 0 ? ` (the point’s worth ${factors.join(' ')})` : '';
  return `${terms}${worth} came to ${resultInWords(action, action.cappedFrom)}, rounded ${isPaid ? 'up' : 'down'}`;
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
