import {
  Action,
  actionKind,
  Condition,
  conditionKind,
  Limit,
  limitKind,
  Multiplier,
  multiplierKind,
  triggerKind,
} from '../document/campaign.ts';
import { FlowTrigger, isByDollar } from '../document/facts.ts';
import type { CampaignType } from '../document/kinds/kind.ts';
import { limitUnits } from '../document/kinds/limits.ts';
import { capitalised, join, joinWith, marked, oneOf, type Phrase, say } from '../document/kinds/phrase.ts';
import { type Json, listIn } from '../document/tree.ts';
import { amountInWords, decimal, rateInWords } from './amounts.ts';

/** The sentence of a flow. Each kind of part has its own words; this file puts them together. */

/** The names of what a document knows by its number; undefined for what is not known. */
export interface Names {
  organisation?(id: number): string | undefined;
  tier?(id: number): string | undefined;
  trigger?(id: number): string | undefined;
}

/** The campaign around a flow. */
export interface SentenceContext {
  readonly type: CampaignType;
  readonly merchantId: number;
  readonly partnerId: number;
  readonly names: Names;
}

/** Stands for a part or a value that is not complete yet. */
const missing = '…';

/**
 * A flow as a sentence: "When a member spends, Skyline Miles gives 2 points per $1, half as much again for Gold, at most
 * 500 points a month." A piece with a pointer is a value of the document. Incomplete parts are shown as "…".
 *
 * @param flow also an incomplete one
 * @param at JSON Pointer of the flow
 */
export function flowSentence(flow: Json, at: string, context: SentenceContext): Phrase {
  const clauses = [
    triggerWords(flow.trigger, `${at}/trigger`, context),
    oneOf(
      wordsOfParts(flow, 'actions', at, (part, place) => actionWords(part, flow.trigger, place, context)),
      'and',
    ),
    ...wordsOfParts(flow, 'multipliers', at, (part, place) => multiplierWords(part, place, context.names)),
    ...groupClauses(flow, at, context),
    ...wordsOfParts(flow, 'limits', at, limitWords),
  ];
  const written = listIn(flow, 'actions').length > 0 ? clauses : withoutActions(clauses, context);
  const again = flow.reevaluateOnRefund === true ? say` ${marked(testedAgain, `${at}/reevaluateOnRefund`)}` : '';
  return capitalised(join([joinWith(', ', written), '.', again]));
}

const testedAgain = 'A refund tests conditions and minimums again.';

/** A flow of a CONNECT_ONLY campaign counts the member. In other campaigns the action is missing. */
function withoutActions([trigger = [], _, ...rest]: readonly Phrase[], { type }: SentenceContext): Phrase[] {
  return [trigger, type === 'CONNECT_ONLY' ? say`the member is counted` : say`${missing}`, ...rest];
}

function wordsOfParts(flow: Json, name: string, at: string, words: (part: Json, at: string) => Phrase): Phrase[] {
  return listIn(flow, name).map((part, position) => words(part, `${at}/${name}/${position}`));
}

/** The clause of a trigger, as in "when a member spends". */
export function triggerWords(written: unknown, at: string, { type, names }: SentenceContext): Phrase {
  const { data: trigger } = FlowTrigger.safeParse(written);
  if (!trigger) return say`when ${marked(missing, at)}`;
  const name = 'customTriggerId' in trigger ? nameOr(names.trigger, trigger.customTriggerId, 'trigger') : '';
  return triggerKind(trigger.type).words(name === '' ? [] : marked(name, `${at}/customTriggerId`), type);
}

const nameOr = (nameOf: ((id: number) => string | undefined) | undefined, id: number, kind: string) =>
  nameOf?.(id) ?? `${kind} ${id}`;

/** Parts in a file have no ids and owners yet. */
const unnumbered = { id: 0, ownerId: 0 };

/** The clause of an action, as in "Skyline Miles gives 2 points per $1". */
export function actionWords(part: Json, trigger: unknown, at: string, context: SentenceContext): Phrase {
  const { data: action } = Action.safeParse({ ...unnumbered, ...part });
  if (!action) return marked(missing, at);
  const { merchantId, partnerId, names } = context;
  const kind = actionKind(action.kind);
  const { data: begin } = FlowTrigger.safeParse(trigger);
  const byDollar = begin === undefined || isByDollar(begin);
  const rate = kind.baseRate(action, byDollar);
  const route = kind.route(action);
  const step = kind.step(action);
  const clause = kind.words({
    ...rateWords(action.kind, rate, `${at}/${kind.rateField(byDollar)}`),
    per: byDollar ? 'dollar' : 'event',
    merchant: say`${names.organisation?.(merchantId) ?? 'the merchant'}`,
    program: say`${names.organisation?.(partnerId) ?? 'the program'}`,
    from: marked(nameOr(names.organisation, route?.fromPartnerId ?? partnerId, 'organisation'), `${at}/fromPartnerId`),
    to: marked(nameOr(names.organisation, route?.toPartnerId ?? partnerId, 'organisation'), `${at}/toPartnerId`),
  });
  return step === null
    ? clause
    : say`${clause} in steps of ${marked(amountInWords(step, 'points'), `${at}/increment`)}`;
}

/** The rate of an action as words: with its unit, and alone. A rate of zero is missing. */
export function rateWords(kind: Action['kind'], baseRate: number, at?: string) {
  const { decimals, of } = actionKind(kind).rateUnit;
  const number = decimal(baseRate, decimals);
  const isMissing = baseRate === 0;
  return {
    rate: marked(isMissing ? missing : rateInWords(number, of), at),
    amount: marked(isMissing ? missing : number, at),
  };
}

/** Common factors have words of their own. */
const factorsInWords: Readonly<Record<number, string>> = {
  5000: 'half as much',
  15000: 'half as much again',
  20000: 'twice as much',
  30000: 'three times as much',
};

/** A multiplier as a clause: "half as much again for Gold". */
export function multiplierWords(part: Json, at: string, names: Names): Phrase {
  const { data: multiplier } = Multiplier.safeParse({ ...unnumbered, ...part });
  if (!multiplier) return marked(missing, at);
  const { listed, words, refersTo } = multiplierKind(multiplier.attribute);
  const { factorBp, operator } = multiplier;
  const factor = factorsInWords[factorBp] ?? `${decimal(factorBp, 4)} times as much`;
  const field = refersTo?.(multiplier).tierIds ? 'statusTierIds' : 'values';
  const values = namedValues(listed(multiplier), field === 'statusTierIds' ? names : {}, `${at}/${field}`);
  const name = 'name' in multiplier ? marked(multiplier.name, `${at}/name`) : [];
  return say`${marked(factor, `${at}/factorBp`)} ${words({ operator, listed: oneOf(values), name })}`;
}

function namedValues(
  values: readonly (string | number)[],
  { tier }: Names,
  at: string,
  inWords: (value: string) => string = (value) => value,
): Phrase[] {
  return values.map((value, position) => marked(tier?.(Number(value)) ?? inWords(String(value)), `${at}/${position}`));
}

function groupClauses(flow: Json, at: string, { names }: SentenceContext): Phrase[] {
  return listIn(flow, 'conditionGroups').map((group, position) => {
    const place = `${at}/conditionGroups/${position}`;
    const clauses = wordsOfParts(group, 'conditions', place, (part, inner) => conditionWords(part, inner, names));
    return say`${position === 0 ? 'if' : 'and if'} ${oneOf(clauses, group.logic === 'ALL' ? 'and' : 'or')}`;
  });
}

/** A condition as a clause that follows "if": "the purchase is more than $25.00". */
export function conditionWords(part: Json, at: string, names: Names): Phrase {
  const { data: condition } = Condition.safeParse({ ...unnumbered, ...part });
  if (!condition) return marked(missing, at);
  const kind = conditionKind(condition.attribute);
  const needed = kind.needed(condition);
  const field = Object.keys(condition).find((name) => !notCompared.has(name)) ?? '';
  const isTier = kind.refersTo?.(condition).tierIds !== undefined;
  const words =
    typeof needed === 'number'
      ? marked(amountInWords(needed, kind.unit ?? 'none'), `${at}/${field}`)
      : oneOf(namedValues(needed, isTier ? names : {}, `${at}/${field}`, kind.valueInWords));
  const name = 'name' in condition ? marked(String(condition.name), `${at}/name`) : [];
  return kind.words({ operator: condition.operator, needed: words, name });
}

/** The fields of a condition beside the one that it compares with. */
const notCompared: ReadonlySet<string> = new Set(['id', 'ownerId', 'attribute', 'operator', 'name']);

/** A limit as a clause: "at most 500 points a month". */
export function limitWords(part: Json, at: string): Phrase {
  const { data: limit } = Limit.safeParse({ ...unnumbered, ...part });
  if (!limit) return marked(missing, at);
  const amount = marked(amountInWords(limit.amount, limitUnits[limit.unit].unit), `${at}/amount`);
  const period = 'period' in limit ? marked(limit.period, `${at}/period`) : [];
  const bound = limit.bound === 'MINIMUM' ? 'at least' : 'at most';
  return say`${bound} ${amount} ${limitKind(limit.kind).words(period)}`;
}
