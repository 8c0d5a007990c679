import type { QuantityName } from '../../../shared/domain/campaign/document/kinds/form.ts';
import { type Json, placesOf } from '../../../shared/domain/campaign/document/tree.ts';
import type { Pointer } from './pointer.ts';

/** The state of the builder: a campaign file, and what is on the screen and not in the file yet. */

/** The steps of the builder that change the campaign. */
export const steps = ['details', 'schedule', 'flows', 'goals'] as const;
export type Step = (typeof steps)[number];
/** A screen of the builder: a step, or the review of all of it. */
export type BuilderPlace = Step | 'review';

/** A text that is no value yet, and why. The words follow the name of the field. */
interface UnreadText {
  readonly text: string;
  readonly fault: string;
}

/** How a typed text becomes a value. */
export type TextFormat = QuantityName | 'number';

export interface BuilderState {
  /** The campaign file, letter by letter. */
  readonly document: Json;
  /** The inputs that do not parse yet, by the pointer of their field. The document has no value for them. */
  readonly texts: Readonly<Record<Pointer, UnreadText>>;
  /** A key for every element of a list. It stays when the element moves, also before the element has an id. */
  readonly keys: Readonly<Record<Pointer, string>>;
  readonly nextKey: number;
  /** The steps that the person has opened. */
  readonly opened: readonly Step[];
}

/** Begins to edit a campaign file. */
export function openFile(document: Json): BuilderState {
  return withKeys({ document, texts: {}, keys: {}, nextKey: 1, opened: [] });
}

/** The campaign file of a state. A file that is opened and not changed is the same file. */
export const fileOf = ({ document }: BuilderState): Json => document;

/** Gives a key to every element that has none. */
export function withKeys(state: BuilderState): BuilderState {
  let { nextKey } = state;
  const keys: Record<Pointer, string> = {};
  for (const { pointer } of placesOf(state.document)) {
    keys[pointer] = state.keys[pointer] ?? `k${nextKey++}`;
  }
  return { ...state, keys, nextKey };
}
