import type { CampaignFault } from '../document/kinds/kind.ts';
import { documentLists, holdsParts, isObject, type Json, type Lists } from '../document/tree.ts';

/**
 * A document without its faulty elements. The rules between parts are checked on the rest, so one reading reports the
 * faults of the schema and of the rules.
 */
export interface PartialDocument {
  /** The document without its unknown fields, and without its faulty parts, groups and flows. */
  readonly document: Json;
  /** Converts a pointer into this document to a pointer into the written document. */
  toWritten(pointer: string): string;
  /** Whether an element was left out of the list at a pointer of the written document. */
  isReduced(pointer: string): boolean;
}

/**
 * Leaves the faulty elements out of a document.
 *
 * @param document with an id in every flow, group and part
 */
export function readPartially(document: Json, faults: readonly CampaignFault[]): PartialDocument {
  const reader = new PartialReader(faults);
  return {
    document: reader.readInside(document, documentLists, { written: '', kept: '' }),
    toWritten: (pointer) => reader.toWritten(pointer),
    isReduced: (pointer) => reader.reduced.has(pointer),
  };
}

/** The two pointers of one place: in the written document, and in the partial document. */
interface Pointers {
  readonly written: string;
  readonly kept: string;
}

class PartialReader {
  readonly reduced = new Set<string>();
  /** The keys are pointers into the partial document. The values point to the same elements in the written document. */
  readonly #places = new Map<string, string>();
  readonly #unknown: ReadonlySet<string>;
  readonly #faulty: readonly string[];

  constructor(faults: readonly CampaignFault[]) {
    const isUnknown = ({ code }: CampaignFault) => code === 'unknown_field';
    this.#unknown = new Set(faults.filter(isUnknown).map(({ pointer }) => pointer));
    this.#faulty = faults.filter((fault) => !isUnknown(fault)).map(({ pointer }) => pointer);
  }

  /** Returns a value without its faulty content. */
  readInside(value: Json, lists: Lists, at: Pointers): Json {
    const known = Object.entries(value).filter(([name]) => !this.#unknown.has(`${at.written}/${name}`));
    const read = known.map(([name, field]) => {
      const inner = lists[name];
      const inField = { written: `${at.written}/${name}`, kept: `${at.kept}/${name}` };
      return [name, inner && Array.isArray(field) ? this.#readList(field, inner, inField) : field];
    });
    return Object.fromEntries(read);
  }

  #readList(list: readonly unknown[], inner: Lists, at: Pointers): Json[] {
    const kept: Json[] = [];
    for (const [index, element] of list.entries()) {
      const pointers = { written: `${at.written}/${index}`, kept: `${at.kept}/${kept.length}` };
      const isReadable = isObject(element) && !this.#isFaulty(pointers.written, inner);
      const read = isReadable ? this.readInside(element, inner, pointers) : undefined;
      if (read && !isEmptyGroup(read, inner)) {
        kept.push(read);
        this.#places.set(pointers.kept, pointers.written);
      } else this.reduced.add(at.written);
    }
    return kept;
  }

  /** Whether an element is faulty itself. A fault in an element of one of its lists removes only that inner element. */
  #isFaulty(pointer: string, inner: Lists): boolean {
    return this.#faulty
      .filter((fault) => fault === pointer || fault.startsWith(`${pointer}/`))
      .some((fault) => {
        const [, list = '', index] = fault.slice(pointer.length).split('/');
        return index === undefined || !(list in inner);
      });
  }

  toWritten(pointer: string): string {
    const parts = pointer.split('/');
    for (let length = parts.length; length > 1; length -= 1) {
      const place = this.#places.get(parts.slice(0, length).join('/'));
      if (place !== undefined) return [place, ...parts.slice(length)].join('/');
    }
    return pointer;
  }
}

/** Whether a group has no readable condition left. Such a group is left out, because the schema would refuse it. */
function isEmptyGroup({ conditions }: Json, inner: Lists): boolean {
  return 'conditions' in inner && holdsParts(inner) && Array.isArray(conditions) && conditions.length === 0;
}
