import { isObject, isSame, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import { newPart, type PartSort } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { readQuantity } from '../../../shared/domain/campaign/forms/quantities.ts';
import { isWithin, listAt, movePointers, type Pointer, splitPointer, valueAt, withValue } from './pointer.ts';
import { type BuilderState, openFile, type Step, type TextFormat, withKeys } from './state.ts';

/** One change of a person, or of a reply of the server. */
export type BuilderAction =
  /** Sets a field. The value undefined leaves the field out of the file. */
  | { readonly kind: 'set'; readonly pointer: Pointer; readonly value: unknown }
  /** A text was typed. A text that does not parse yet is kept, and the file has no value for it. */
  | { readonly kind: 'type'; readonly pointer: Pointer; readonly text: string; readonly format: TextFormat }
  /** Adds an element at the end of a list. */
  | { readonly kind: 'add'; readonly list: Pointer; readonly element: Json }
  /** Removes an element of a list. The removal of the last condition removes its group. */
  | { readonly kind: 'remove'; readonly pointer: Pointer }
  /** Moves an element to another position of its list. */
  | { readonly kind: 'move'; readonly pointer: Pointer; readonly to: number }
  /** Replaces a part by a new one of another kind. */
  | { readonly kind: 'change_kind'; readonly pointer: Pointer; readonly sort: PartSort; readonly name: string }
  | { readonly kind: 'open_step'; readonly step: Step }
  /** Takes what the server added to the file. */
  | { readonly kind: 'adopt'; readonly sent: SentFile; readonly saved: Json }
  /** Starts again from another file. */
  | { readonly kind: 'replace'; readonly document: Json };

/** The file that the server saved, as it was sent. */
type SentFile = Pick<BuilderState, 'document' | 'keys'>;

/** The state after a change. Pure: an equal state and action give an equal state. */
export function reduce(state: BuilderState, action: BuilderAction): BuilderState {
  switch (action.kind) {
    case 'set':
      return setValue(state, action.pointer, action.value);
    case 'type':
      return typeText(state, action.pointer, action.text, action.format);
    case 'add':
      return addElement(state, action.list, action.element);
    case 'remove':
      return removeElement(state, action.pointer);
    case 'move':
      return moveElement(state, action.pointer, action.to);
    case 'change_kind':
      return setValue(state, action.pointer, newPart(action.sort, action.name));
    case 'open_step':
      return state.opened.includes(action.step) ? state : { ...state, opened: [...state.opened, action.step] };
    case 'adopt':
      return adoptAdditions(state, action.sent, action.saved);
    case 'replace':
      return { ...openFile(action.document), opened: state.opened };
  }
}

function setValue(state: BuilderState, pointer: Pointer, value: unknown): BuilderState {
  const texts = Object.entries(state.texts).filter(([at]) => !isWithin(at, pointer));
  const document = withValue(state.document, pointer, value);
  return withKeys({ ...state, document, texts: Object.fromEntries(texts) });
}

function typeText(state: BuilderState, pointer: Pointer, text: string, format: TextFormat): BuilderState {
  if (text.trim() === '') return setValue(state, pointer, undefined);
  const read = format === 'number' ? readNumber(text) : readQuantity(text, format);
  if ('value' in read) return setValue(state, pointer, read.value);
  const without = setValue(state, pointer, undefined);
  return { ...without, texts: { ...without.texts, [pointer]: { text, fault: read.fault } } };
}

/** A decimal number as people write it. It is a number of the document exactly as JSON would read it. */
const plainNumber = /^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;

export function readNumber(text: string): { readonly value: number } | { readonly fault: string } {
  const trimmed = text.trim();
  return plainNumber.test(trimmed) ? { value: Number(trimmed.replaceAll(',', '')) } : { fault: 'has to be a number' };
}

function addElement(state: BuilderState, list: Pointer, element: Json): BuilderState {
  const document = withValue(state.document, list, [...listAt(state.document, list), element]);
  return withKeys({ ...state, document });
}

function removeElement(state: BuilderState, pointer: Pointer): BuilderState {
  const { around: list, last } = splitPointer(pointer);
  const group = /^(?<group>.*\/conditionGroups\/\d+)\/conditions$/.exec(list)?.groups?.group;
  const elements = listAt(state.document, list);
  if (group !== undefined && elements.length === 1) return removeElement(state, group);
  const removed = Number(last);
  const placeOf = (position: number) =>
    position === removed ? undefined : position > removed ? position - 1 : position;
  return arrange(state, list, placeOf);
}

function moveElement(state: BuilderState, pointer: Pointer, to: number): BuilderState {
  const { around: list, last } = splitPointer(pointer);
  const [from, length] = [Number(last), listAt(state.document, list).length];
  const target = Math.min(Math.max(to, 0), length - 1);
  const placeOf = (position: number) => {
    if (position === from) return target;
    if (position > from && position <= target) return position - 1;
    return position < from && position >= target ? position + 1 : position;
  };
  return arrange(state, list, placeOf);
}

/** Moves the elements of a list, and everything that is stored by their pointers. */
function arrange(state: BuilderState, list: Pointer, placeOf: (position: number) => number | undefined): BuilderState {
  const arranged = listAt(state.document, list)
    .map((element, position) => ({ element, place: placeOf(position) }))
    .filter(({ place }) => place !== undefined)
    .sort((one, other) => Number(one.place) - Number(other.place))
    .map(({ element }) => element);
  const document = withValue(state.document, list, arranged);
  const [texts, keys] = [movePointers(state.texts, list, placeOf), movePointers(state.keys, list, placeOf)];
  return withKeys({ ...state, document, texts, keys });
}

/**
 * Takes what the server added to the file that was sent: the fields that the file left out, the ids of new parts, and
 * those of limits that it counts anew because they count something else now. A part may have moved or changed since it
 * was sent: its key finds it.
 */
function adoptAdditions(state: BuilderState, sent: SentFile, saved: Json): BuilderState {
  const pointers = new Map(Object.entries(sent.keys).map(([pointer, key]) => [key, pointer]));
  const whole = { ...additionsOf(sent.document, saved), ...state.document };
  const document = Object.entries(state.keys).reduce((changed, [pointer, key]) => {
    const [own, at] = [valueAt(changed, pointer), pointers.get(key)];
    const given = at === undefined ? undefined : valueAt(saved, at);
    if (!isObject(own) || !isObject(given)) return changed;
    const owner = own.id === given.id || given.ownerId === undefined ? {} : { ownerId: given.ownerId };
    const before = valueAt(sent.document, at ?? '');
    const isUntouched = isSame(valueAt(state.document, pointer), before);
    const added = isUntouched ? additionsOf(before, given) : {};
    return withValue(changed, pointer, { ...added, ...own, id: given.id, ...owner });
  }, whole);
  return { ...state, document };
}

/** The fields that only the saved value has. */
function additionsOf(sent: unknown, saved: Json): Json {
  const before = isObject(sent) ? sent : {};
  return Object.fromEntries(Object.entries(saved).filter(([name]) => before[name] === undefined));
}
