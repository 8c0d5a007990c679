import { type FaultContext, readFile } from '../../../shared/domain/campaign/authoring/read-document.ts';
import type { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import { conditionKind } from '../../../shared/domain/campaign/document/campaign.ts';
import type { EventFacts, FlowTrigger } from '../../../shared/domain/campaign/document/facts.ts';
import type { CampaignFault } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { capitalised, textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import type { ActionOutcome, FlowOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { amountInWords } from '../../../shared/domain/campaign/words/amounts.ts';
import {
  calculationOf,
  countedInWords,
  refusalInWords,
  resultsInWords,
  valueInWords,
} from '../../../shared/domain/campaign/words/explanation.ts';
import {
  conditionWords,
  limitWords,
  multiplierWords,
  type SentenceContext,
} from '../../../shared/domain/campaign/words/flow-sentence.ts';
import type { Pointer } from './pointer.ts';

/** Tries a draft: what each flow would give for an event, and why. The rules are those of the server. */

/** An imagined event of an imagined member. */
export interface TryInput {
  /** The event. The trigger of an event never names an amount. */
  readonly trigger: FlowTrigger;
  readonly amountCents: number | null;
  /** The points that leave the first program of a transfer. */
  readonly transferPoints: number | null;
  /** The amount in the context of an event, by the name of its field. */
  readonly numbers: Readonly<Record<string, number>>;
  readonly tierId: number | null;
  /** A country (`US`), or a city of the United States with its state (`Austin, TX`); empty when not known. */
  readonly place: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** An instant, by ISO 8601. */
  readonly at: string;
  readonly connectedAt: string | null;
  readonly totalSpendCents: number;
  readonly items: EventFacts['items'];
}

/** The campaign and its partnership. */
export interface TryContext extends FaultContext, SentenceContext {
  readonly timeZone: string;
}

/** One reason. `holds` is null for a line that is neither fulfilled nor not. */
interface TryLine {
  readonly text: string;
  readonly holds: boolean | null;
  readonly pointer: Pointer;
}

export interface TriedFlow {
  readonly pointer: Pointer;
  /** What the flow gives, such as `127 points`; null when it gives nothing. */
  readonly gives: string | null;
  /** The result as the rest of a sentence about the flow. */
  readonly result: string;
  readonly lines: readonly TryLine[];
}

export type Tried =
  /** The draft cannot run yet. */
  | { readonly kind: 'faulty'; readonly faults: readonly CampaignFault[] }
  /** No flow was tried, and why. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'tried'; readonly flows: readonly TriedFlow[] };

/** Tries a campaign file with an event. */
export function tryFile(file: Json, input: TryInput, context: TryContext): Tried {
  const read = readFile(file, context);
  if ('faults' in read) return { kind: 'faulty', faults: read.faults };
  const campaign = campaignOf(read.edit.document, context);
  const { refused, flows } = evaluate(campaign, factsOf(input, context));
  if (refused !== null) return { kind: 'refused', reason: refusalInWords[refused] };
  return {
    kind: 'tried',
    flows: flows.map((outcome, position) => triedFlow(outcome, position, campaign, input, context)),
  };
}

/** The draft as if it had been approved. */
function campaignOf(
  document: Pick<Campaign, 'name' | 'description' | 'logo' | 'type' | 'startsAt' | 'endsAt' | 'flows' | 'goals'>,
  { merchantId, partnerId, organisationId }: TryContext,
): Campaign {
  const ids = { id: 0, version: 1, partnershipUuid: '', merchantId, partnerId, ownerId: organisationId };
  const state = {
    status: 'ACTIVE',
    pauses: [],
    isDeleted: false,
    createdAt: document.startsAt,
    templateId: null,
  } as const;
  return { ...document, ...ids, ...state, pauses: [] };
}

function factsOf(input: TryInput, { timeZone }: TryContext): EventFacts {
  const { trigger, amountCents, transferPoints, tierId, at, connectedAt, totalSpendCents, items } = input;
  return {
    occurredAt: at,
    trigger,
    amountCents,
    transferPoints,
    partnershipIsActive: true,
    timeZone,
    statusTierId: tierId,
    connectedAt,
    totalSpendCents,
    location: locationOf(input.place),
    attributes: Object.fromEntries(Object.entries(input.attributes).map(([name, value]) => [name, [value]])),
    items,
    numbers: new Map(Object.entries(input.numbers)),
  };
}

function locationOf(place: string): EventFacts['location'] {
  const [first = '', region] = place.trim().split(/,\s*/);
  if (first === '') return null;
  return region === undefined
    ? { country: first.toUpperCase(), region: null, city: null }
    : { country: 'US', region: region.toUpperCase(), city: first };
}

function triedFlow(
  outcome: FlowOutcome,
  position: number,
  { flows }: Campaign,
  input: TryInput,
  context: TryContext,
): TriedFlow {
  const pointer = `/flows/${position}`;
  const flow = flows[position];
  const facts = factsOf(input, context);
  const amounts = outcome.actions.flatMap(givenBy);
  return {
    pointer,
    gives: amounts.length === 0 ? null : amounts.join(' and '),
    result: resultsInWords[outcome.result],
    lines: flow
      ? [
          ...conditionLines(flow, outcome, pointer, context),
          ...multiplierLines(flow, outcome, pointer, context),
          ...(outcome.countedCents === undefined
            ? []
            : [{ text: countedInWords(outcome.countedCents, facts), holds: null, pointer }]),
          ...outcome.actions.map((action, index) => {
            return { text: calculationOf(action, outcome, facts), holds: null, pointer: `${pointer}/actions/${index}` };
          }),
          ...limitLines(flow, outcome, pointer),
        ]
      : [],
  };
}

/** What an action gives, in words; nothing for an amount of zero. */
function givenBy({ points, cashbackCents }: ActionOutcome): string[] {
  if (points > 0) return [amountInWords(points, 'points')];
  return cashbackCents > 0 ? [`${amountInWords(cashbackCents, 'cents')} back`] : [];
}

const sentence = (phrase: Parameters<typeof textOf>[0]): string => textOf(capitalised(phrase));

function conditionLines(flow: Flow, { groups }: FlowOutcome, at: Pointer, { names }: TryContext): TryLine[] {
  return flow.conditionGroups.flatMap(({ conditions }, group) =>
    conditions.flatMap((condition, position): TryLine[] => {
      const found = groups[group]?.conditions[position];
      if (!found) return [];
      const pointer = `${at}/conditionGroups/${group}/conditions/${position}`;
      const kind = conditionKind(condition.attribute);
      const isTier = kind.refersTo?.(condition).tierIds !== undefined;
      const inWords = (value: string) => kind.valueInWords?.(value) ?? value;
      const named = (value: string) => (isTier ? (names.tier?.(Number(value)) ?? value) : inWords(value));
      const actual = Array.isArray(found.actual) ? found.actual.map(named) : found.actual;
      const words = sentence(conditionWords({ ...condition }, pointer, names));
      return [{ text: `${words}: it is ${valueInWords(actual, kind.unit)}`, holds: found.holds, pointer }];
    }),
  );
}

function multiplierLines(flow: Flow, { multipliers }: FlowOutcome, at: Pointer, { names }: TryContext): TryLine[] {
  return flow.multipliers.flatMap((multiplier, position): TryLine[] => {
    const found = multipliers[position];
    const pointer = `${at}/multipliers/${position}`;
    if (!found) return [];
    return [{ text: sentence(multiplierWords({ ...multiplier }, pointer, names)), holds: found.matched, pointer }];
  });
}

const effects = { NONE: 'changes nothing', CAPPED: 'makes it less', REFUSED: 'allows nothing' } as const;

function limitLines(flow: Flow, { limits }: FlowOutcome, at: Pointer): TryLine[] {
  return flow.limits.flatMap((limit, position): TryLine[] => {
    const found = limits[position];
    const pointer = `${at}/limits/${position}`;
    if (!found) return [];
    const text = `${sentence(limitWords({ ...limit }, pointer))}: ${effects[found.effect]}`;
    return [{ text, holds: found.effect === 'NONE' ? null : false, pointer }];
  });
}
