import { FlowTrigger } from '../../../shared/domain/campaign/document/facts.ts';
import type { TriedFact } from '../../../shared/domain/campaign/document/kinds/form.ts';
import { type Json, listIn, placesOf } from '../../../shared/domain/campaign/document/tree.ts';
import { sortOfList, triedWith } from '../../../shared/domain/campaign/forms/part-forms.ts';

/** What a person has to say so that a draft can be tried: only what its flows depend on. */
export interface TryNeeds {
  /** The events that flows wait for, without amounts, each once. */
  readonly triggers: readonly FlowTrigger[];
  readonly amountFields: readonly string[];
  readonly isTransfer: boolean;
  readonly hasPlace: boolean;
  readonly hasTier: boolean;
  readonly hasTotal: boolean;
  readonly hasTime: boolean;
  readonly hasItems: boolean;
  readonly attributes: readonly string[];
}

/** Finds what the flows of a document depend on: each kind of part says which fact it needs. */
export function tryNeedsOf(document: Json): TryNeeds {
  const needed = placesOf(document).map(({ value, pointer }) => ({ fact: factOf(value, pointer), name: value.name }));
  const needs = (fact: TriedFact) => needed.some((one) => one.fact === fact);
  const triggers = listIn(document, 'flows').flatMap(({ trigger }) => FlowTrigger.safeParse(trigger).data ?? []);
  const events = new Map(triggers.map(eventOf).map((event) => [JSON.stringify(event), event]));
  return {
    triggers: [...events.values()],
    amountFields: unique(triggers.map((trigger) => ('amountField' in trigger ? trigger.amountField : undefined))),
    isTransfer: document.type === 'TRANSFER',
    hasPlace: needs('place'),
    hasTier: needs('tier'),
    hasTotal: needs('total'),
    hasTime: needs('time'),
    hasItems: needs('item'),
    attributes: unique(needed.filter(({ fact }) => fact === 'attribute').map(({ name }) => name)),
  };
}

function factOf(part: Json, pointer: string): TriedFact | undefined {
  const sort = sortOfList(pointer.split('/').at(-2) ?? '');
  return sort && triedWith(sort, part);
}

/** The trigger of an event never names an amount. */
const eventOf = (trigger: FlowTrigger): FlowTrigger =>
  trigger.type === 'CUSTOM' ? { type: 'CUSTOM', customTriggerId: trigger.customTriggerId } : trigger;

const unique = (names: readonly unknown[]): string[] => [
  ...new Set(names.filter((name): name is string => typeof name === 'string')),
];
