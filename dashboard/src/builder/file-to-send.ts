import type * as z from 'zod/mini';
import { Action, Condition, Goal, Limit, Multiplier } from '../../../shared/domain/campaign/document/campaign.ts';
import { FlowTrigger } from '../../../shared/domain/campaign/document/facts.ts';
import {
  documentLists,
  holdsParts,
  isObject,
  type Json,
  type Lists,
  placesOf,
} from '../../../shared/domain/campaign/document/tree.ts';
import { inside, isWithin, type Pointer } from './pointer.ts';
import type { BuilderState } from './state.ts';

/**
 * What the server can keep of unfinished work. A draft may break rules, but each of its parts is complete. So a half
 * part stays in the browser until it is complete.
 */

/** A file for the server, and the key of each of its elements. */
export interface FileToSend {
  readonly document: Json;
  readonly keys: Readonly<Record<Pointer, string>>;
  /** Whether something of the state is not in the file. */
  readonly isPartial: boolean;
}

/**
 * The file of a state without its incomplete parts: those that miss something, and those with a text that is no value yet. A part that the server has already is sent as the server has it,
 * because leaving it out would remove it.
 *
 * @param stored the document that the server has
 */
export function fileToSend({ document, keys, texts }: BuilderState, stored: Json): FileToSend {
  const sender = new Sender(keys, { stored, unread: Object.keys(texts) });
  const sent = sender.sendInside(document, documentLists, { from: '', to: '' });
  return { document: sent, keys: sender.keys, isPartial: sender.isPartial || Object.keys(texts).length > 0 };
}

const schemas: Readonly<Record<string, z.ZodMiniType>> = {
  actions: Action,
  conditions: Condition,
  goals: Goal,
  limits: Limit,
  multipliers: Multiplier,
};

/** The pointers of an element in the state and in the sent file. */
interface Pointers {
  readonly from: Pointer;
  readonly to: Pointer;
}

class Sender {
  readonly keys: Record<Pointer, string> = {};
  isPartial = false;
  readonly #keysOfState: BuilderState['keys'];
  readonly #stored: ReadonlyMap<unknown, Json>;
  /** The fields whose texts are no values yet. */
  readonly #unread: readonly Pointer[];

  constructor(
    keysOfState: BuilderState['keys'],
    { stored, unread }: { readonly stored: Json; readonly unread: readonly Pointer[] },
  ) {
    this.#keysOfState = keysOfState;
    this.#unread = unread;
    this.#stored = new Map(placesOf(stored).map(({ value }) => [value.id, value]));
  }

  sendInside(value: Json, lists: Lists, at: Pointers): Json {
    const sent = Object.entries(lists).flatMap(([name, inner]): [string, Json[]][] => {
      const list = value[name];
      const inList = { from: inside(at.from, name), to: inside(at.to, name) };
      return Array.isArray(list) ? [[name, this.#sendList(list, name, inner, inList)]] : [];
    });
    return { ...value, ...Object.fromEntries(sent) };
  }

  #sendList(list: readonly unknown[], name: string, inner: Lists, at: Pointers): Json[] {
    const sent: Json[] = [];
    for (const [position, element] of list.entries()) {
      const place = { from: inside(at.from, position), to: inside(at.to, sent.length) };
      const ready = isObject(element) ? this.#sendElement(element, name, inner, place) : undefined;
      if (ready === undefined) {
        this.isPartial = true;
        continue;
      }
      const key = this.#keysOfState[place.from];
      if (key !== undefined) this.keys[place.to] = key;
      sent.push(ready);
    }
    return sent;
  }

  #sendElement(element: Json, name: string, inner: Lists, place: Pointers): Json | undefined {
    if (holdsParts(inner)) return this.#sendContainer(element, name, inner, place);
    const isRead = !this.#unread.some((field) => isWithin(field, place.from));
    if (isRead && schemas[name]?.safeParse({ id: 0, ownerId: 0, ...element }).success) return element;
    return this.#storedOf(element);
  }

  /** A flow needs its trigger, and a group at least one condition. */
  #sendContainer(element: Json, name: string, inner: Lists, place: Pointers): Json | undefined {
    if (name !== 'flows') {
      const group = this.sendInside(element, inner, place);
      return Array.isArray(group.conditions) && group.conditions.length > 0 ? group : undefined;
    }
    const trigger = FlowTrigger.safeParse(element.trigger).success ? element.trigger : this.#storedOf(element)?.trigger;
    return trigger === undefined ? undefined : this.sendInside({ ...element, trigger }, inner, place);
  }

  /** The element as the server has it; undefined for a new one. */
  #storedOf({ id }: Json): Json | undefined {
    this.isPartial = true;
    return id === undefined ? undefined : this.#stored.get(id);
  }
}
