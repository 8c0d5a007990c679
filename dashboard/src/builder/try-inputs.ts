import { FlowTrigger } from '../../../shared/domain/campaign/document/facts.ts';
import { type Json, listIn, placesOf } from '../../../shared/domain/campaign/document/tree.ts';

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

/** Finds what the flows of a document depend on. */
export function tryNeedsOf(document: Json): TryNeeds {
  const parts = placesOf(document).map(({ value }) => value);
  const uses = (...attributes: string[]) => parts.some(({ attribute }) => attributes.includes(String(attribute)));
  const named = parts.filter(({ attribute }) => ['CUSTOM', 'CUSTOM_NUMBER', 'VARIABLE'].includes(String(attribute)));
  const triggers = listIn(document, 'flows').flatMap(({ trigger }) => FlowTrigger.safeParse(trigger).data ?? []);
  const events = new Map(triggers.map(eventOf).map((event) => [JSON.stringify(event), event]));
  return {
    triggers: [...events.values()],
    amountFields: unique(triggers.map((trigger) => ('amountField' in trigger ? trigger.amountField : undefined))),
    isTransfer: document.type === 'TRANSFER',
    hasPlace: uses('GEOGRAPHY'),
    hasTier: uses('CUSTOMER_STATUS'),
    hasTotal: uses('TOTAL_SPEND'),
    hasTime: uses('TIME_ELAPSED'),
    hasItems: uses('ITEM', 'CONTAINS_ITEM'),
    attributes: unique(named.map(({ name }) => name)),
  };
}

/** The trigger of an event never names an amount. */
const eventOf = (trigger: FlowTrigger): FlowTrigger =>
  trigger.type === 'CUSTOM' ? { type: 'CUSTOM', customTriggerId: trigger.customTriggerId } : trigger;

const unique = (names: readonly unknown[]): string[] => [
  ...new Set(names.filter((name): name is string => typeof name === 'string')),
];
