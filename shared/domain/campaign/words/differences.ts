import { findDifferences } from '../authoring/difference.ts';
import type { CampaignDocument, Flow } from '../document/campaign.ts';
import { type Phrase, textOf } from '../document/kinds/phrase.ts';
import { isSame, type Json, listIn } from '../document/tree.ts';
import { count } from './amounts.ts';
import {
  actionWords,
  conditionWords,
  flowSentence,
  limitWords,
  multiplierWords,
  type SentenceContext,
  triggerWords,
} from './flow-sentence.ts';

/** The differences between two versions of a campaign, as people read them. */

/** One difference. `old` is null for something new, `new` for something that was removed. */
export interface WordedDifference {
  /** JSON Pointer into the newer document; of a removed part into the older one. */
  readonly pointer: string;
  /** The place, such as `Flow 2, limit`. */
  readonly label: string;
  readonly old: string | null;
  readonly new: string | null;
}

/** The campaign around the documents, and the time zone of its partnership. */
export interface DifferencesContext extends Omit<SentenceContext, 'type'> {
  readonly timeZone: string;
}

type Difference = WordedDifference;

/** Describes what differs between two documents: fields, flows, and the parts of flows that both documents have. */
export function differencesBetween(
  old: CampaignDocument,
  next: CampaignDocument,
  context: DifferencesContext,
): WordedDifference[] {
  const sentences = { ...context, type: next.type };
  return [
    ...fieldDifferences(old, next, context),
    ...listDifferences(old.flows, next.flows, '/flows').flatMap((pair) => flowDifferences(pair, sentences)),
    ...listDifferences(old.goals, next.goals, '/goals').map((pair) => worded(pair, 'Goal', goalWords)),
  ];
}

const labels = {
  name: 'Name',
  description: 'Description',
  logo: 'Icon',
  type: 'Type',
  startsAt: 'Start',
  endsAt: 'End',
} as const satisfies Partial<Record<keyof CampaignDocument, string>>;

function fieldDifferences(old: CampaignDocument, next: CampaignDocument, { timeZone }: DifferencesContext) {
  return Object.entries(labels).flatMap(([name, label]): Difference[] => {
    const field = name as keyof typeof labels;
    if (findDifferences(old[field], next[field]).length === 0) return [];
    const words = (value: string | null) =>
      value !== null && (field === 'startsAt' || field === 'endsAt') ? instantWords(value, timeZone) : value;
    return [{ pointer: `/${field}`, label, old: words(old[field]), new: words(next[field]) }];
  });
}

/** `Nov 28, 2026, 12:00 PM EST` */
const instantWords = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    timeZoneName: 'short',
  }).format(new Date(at));

/** An element of a list in one of two documents, or in both. */
interface Pair {
  readonly pointer: string;
  readonly position: number;
  readonly old: Json | null;
  readonly new: Json | null;
}

/** Pairs the elements of two lists by their ids, and leaves out equal ones. */
function listDifferences(old: readonly Json[], next: readonly Json[], at: string): Pair[] {
  const before = new Map(old.map((element) => [element.id, element]));
  const after = new Set(next.map(({ id }) => id));
  const pairs = [
    ...next.map((element, position) => ({ position, old: before.get(element.id) ?? null, new: element })),
    ...old.flatMap((element, position) => (after.has(element.id) ? [] : [{ position, old: element, new: null }])),
  ];
  return pairs
    .filter((pair) => !isSame({ value: pair.old }, { value: pair.new }))
    .map((pair) => ({ ...pair, pointer: `${at}/${pair.position}` }));
}

type Words = (part: Json) => string;

const worded = ({ pointer, old, new: next }: Pair, label: string, words: Words): Difference => ({
  pointer,
  label,
  old: old && words(old),
  new: next && words(next),
});

function flowDifferences(pair: Pair, context: SentenceContext): Difference[] {
  const { pointer, position, old, new: next } = pair;
  const label = `Flow ${position + 1}`;
  if (!old || !next) return [worded(pair, label, (flow) => textOf(flowSentence(flow, pointer, context)))];
  const trigger = (flow: Json) => textOf(triggerWords(flow.trigger, '', context));
  return [
    ...(isSame(old.trigger, next.trigger)
      ? []
      : [worded({ ...pair, pointer: `${pointer}/trigger` }, `${label}, trigger`, trigger)]),
    ...partDifferences(pair, label, context),
    ...groupDifferences(pair, label, context),
    ...refundDifferences(pair, label),
  ];
}

/** The words for the parts of a flow. */
const wordsOfParts = (old: Json, next: Json, context: SentenceContext) =>
  ({
    actions: [
      'action',
      (part: Json) => actionWords(part, (isPartOf(old, 'actions', part) ? old : next).trigger, '', context),
    ],
    multipliers: ['multiplier', (part: Json) => multiplierWords(part, '', context.names)],
    limits: ['limit', (part: Json) => limitWords(part, '')],
  }) as const satisfies Record<string, readonly [string, (part: Json) => Phrase]>;

const isPartOf = (flow: Json, list: string, part: Json) => listIn(flow, list).includes(part);

function partDifferences({ pointer, old, new: next }: Pair, label: string, context: SentenceContext): Difference[] {
  if (!old || !next) return [];
  return Object.entries(wordsOfParts(old, next, context)).flatMap(([list, [kind, words]]) =>
    listDifferences(listIn(old, list), listIn(next, list), `${pointer}/${list}`).map((pair) =>
      worded(pair, `${label}, ${kind}`, (part) => textOf(words(part))),
    ),
  );
}

/** Groups are compared as a whole: their conditions belong together. */
function groupDifferences({ pointer, old, new: next }: Pair, label: string, { names }: SentenceContext): Difference[] {
  const list = 'conditionGroups';
  const words = (group: Json) =>
    listIn(group, 'conditions')
      .map((condition) => textOf(conditionWords(condition, '', names)))
      .join(group.logic === 'ALL' ? ' and ' : ' or ');
  return listDifferences(listIn(old ?? {}, list), listIn(next ?? {}, list), `${pointer}/${list}`).map((pair) =>
    worded(pair, `${label}, conditions`, words),
  );
}

function refundDifferences({ pointer, old, new: next }: Pair, label: string): Difference[] {
  const field = 'reevaluateOnRefund' satisfies keyof Flow;
  if (old?.[field] === next?.[field]) return [];
  const words = (flow: Json | null) =>
    flow?.[field] === true ? 'tests conditions and minimums again' : 'tests nothing again';
  return [{ pointer: `${pointer}/${field}`, label: `${label}, refunds`, old: words(old), new: words(next) }];
}

const goalWords: Words = ({ type, target }) =>
  `${count(Number(target))} ${String(type).toLowerCase().replaceAll('_', ' ')}`;
