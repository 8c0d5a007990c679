import type { CampaignFault } from '../document/kinds/fault.ts';
import { documentLists, holdsParts, isObject, type Json, type Lists } from '../document/tree.ts';

/** What can be understood of a document that has faults, so that the rest of it is not judged another day. */
export interface Understood {
  /** The document without what is faulty: its unknown fields, and the parts, groups and flows that are not as they have to be. */
  readonly document: Json;
  /** Where something of it stands in the document as it was written. */
  readonly written: (pointer: string) => string;
  /** Whether something was left out of the list at a pointer of the written document. */
  readonly isReduced: (pointer: string) => boolean;
}

/**
 * Leaves out of a document what its faults are about.
 *
 * @param document with an id in every container and part
 */
export function understoodOf(document: Json, faults: readonly CampaignFault[]): Understood {
  const reading = new Reading(faults);
  const rest = reading.inside(document, documentLists, '');
  return {
    document: rest,
    written: (pointer) => reading.written(pointer),
    isReduced: (pointer) => reading.reduced.has(pointer),
  };
}

class Reading {
  readonly reduced = new Set<string>();
  /** Pointers of what is kept: as it is written, by what it has now. */
  readonly #places = new Map<string, string>();
  readonly #unknown: ReadonlySet<string>;
  readonly #faulty: readonly string[];

  constructor(faults: readonly CampaignFault[]) {
    const isUnknown = ({ code }: CampaignFault) => code === 'unknown_field';
    this.#unknown = new Set(faults.filter(isUnknown).map(({ pointer }) => pointer));
    this.#faulty = faults.filter((fault) => !isUnknown(fault)).map(({ pointer }) => pointer);
  }

  /** A value without what is faulty inside it. */
  inside(value: Json, lists: Lists, written: string, now = written): Json {
    const known = Object.entries(value).filter(([name]) => !this.#unknown.has(`${written}/${name}`));
    const read = known.map(([name, field]) => {
      const inner = lists[name];
      return [name, inner && Array.isArray(field) ? this.#list(field, inner, [written, now, name]) : field];
    });
    return Object.fromEntries(read);
  }

  #list(list: readonly unknown[], inner: Lists, [written, now, name]: readonly [string, string, string]): Json[] {
    const kept: Json[] = [];
    for (const [index, element] of list.entries()) {
      const at = { written: `${written}/${name}/${index}`, now: `${now}/${name}/${kept.length}` };
      const read =
        isObject(element) && !this.#isFaulty(at.written, inner)
          ? this.inside(element, inner, at.written, at.now)
          : undefined;
      if (read && !isEmptied(read, inner)) {
        kept.push(read);
        this.#places.set(at.now, at.written);
      } else this.reduced.add(`${written}/${name}`);
    }
    return kept;
  }

  /** Whether something is faulty itself, and not only a part inside it, which is left out by itself. */
  #isFaulty(pointer: string, inner: Lists): boolean {
    return this.#faulty
      .filter((fault) => fault === pointer || fault.startsWith(`${pointer}/`))
      .some((fault) => {
        const [, list = '', index] = fault.slice(pointer.length).split('/');
        return index === undefined || !(list in inner);
      });
  }

  written(pointer: string): string {
    const parts = pointer.split('/');
    for (let length = parts.length; length > 1; length -= 1) {
      const place = this.#places.get(parts.slice(0, length).join('/'));
      if (place !== undefined) return [place, ...parts.slice(length)].join('/');
    }
    return pointer;
  }
}

/** A group of no conditions is no group. */
function isEmptied({ conditions }: Json, inner: Lists): boolean {
  return 'conditions' in inner && holdsParts(inner) && Array.isArray(conditions) && conditions.length === 0;
}
