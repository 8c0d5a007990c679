import { type CampaignFault, fault } from '../document/kinds/kind.ts';
import { documentLists, holdsParts, includesAll, isObject, type Json, type Lists, listIn } from '../document/tree.ts';

/** The organisation that writes a document, and the id for its first new part. */
export interface Numbering {
  readonly organisationId: number;
  readonly nextPartId: number;
}

/** A document in which every flow, group and part has an id, and every part has an owner. */
export interface NumberedDocument {
  readonly document: Json;
  readonly nextPartId: number;
  readonly faults: readonly CampaignFault[];
}

/** The fields that identify a part. Parts that differ in one of them are different parts. */
const identifyingFields = ['kind', 'attribute', 'type', 'bound', 'unit', 'period', 'name'] as const;
/** The fields that the platform fills in. */
const filledIn: ReadonlySet<string> = new Set(['id', 'ownerId']);

/**
 * Gives the parts of a written document their ids and owners. A written part gets the id and the owner of the earlier
 * part that it matches:
 *
 * - A part with an id matches the earlier part with this id.
 * - A part without an id matches an earlier part with the same content. If no earlier part has this content, the part
 *   matches the earlier part at its position, provided that the owner and the identifying fields are the same.
 *
 * So a file without ids can be applied repeatedly. New parts belong to the organisation that writes. A limit whose
 * identifying fields change is a new limit, and its count begins at zero.
 *
 * @param before the document before the edit; null for a new campaign, where ids in the file are ignored
 */
export function numberParts(written: Json, before: Json | null, numbering: Numbering): NumberedDocument {
  const numberer = new Numberer(numbering, before === null);
  const document = numberer.numberInside(written, before ?? undefined, { lists: documentLists, pointer: '' });
  return { document, nextPartId: numberer.nextPartId, faults: numberer.faults };
}

interface At {
  readonly lists: Lists;
  readonly pointer: string;
}

class Numberer {
  nextPartId: number;
  readonly faults: CampaignFault[] = [];
  readonly #organisationId: number;
  readonly #isNew: boolean;

  constructor({ organisationId, nextPartId }: Numbering, isNew: boolean) {
    this.#organisationId = organisationId;
    this.nextPartId = nextPartId;
    this.#isNew = isNew;
  }

  /** Gives ids and owners to the elements of the lists in a value. */
  numberInside(written: Json, before: Json | undefined, { lists, pointer }: At): Json {
    const numbered = Object.entries(lists).flatMap(([name, inner]): [string, unknown[]][] => {
      const list = written[name];
      const at = { lists: inner, pointer: `${pointer}/${name}` };
      return Array.isArray(list) ? [[name, this.#numberList(list, listIn(before, name), at)]] : [];
    });
    return { ...written, ...Object.fromEntries(numbered) };
  }

  #numberList(written: readonly unknown[], before: readonly Json[], at: At): unknown[] {
    const matches = this.#match(written, before, at);
    return written.map((element, index) => {
      if (!isObject(element)) return element;
      const match = matches.get(index);
      const owner = holdsParts(at.lists) ? {} : { ownerId: element.ownerId ?? match?.ownerId ?? this.#organisationId };
      const id = match?.id ?? this.nextPartId++;
      return { ...this.numberInside(element, match, { ...at, pointer: `${at.pointer}/${index}` }), id, ...owner };
    });
  }

  /** Finds the earlier element that each written element matches. The keys are positions in the written list. */
  #match(written: readonly unknown[], before: readonly Json[], at: At): Map<number, Json> {
    const matches = new Map<number, Json>();
    const left = new Set(before);
    const take = (index: number, match: Json | undefined) => {
      if (match && left.delete(match)) matches.set(index, match);
    };
    const elements = [...written.entries()].filter((entry): entry is [number, Json] => isObject(entry[1]));
    const named = this.#isNew ? [] : elements.filter(([, { id }]) => id !== undefined);
    const unnamed = this.#isNew ? elements : elements.filter(([, { id }]) => id === undefined);

    for (const [index, element] of named) {
      const match = [...left].find(({ id }) => id === element.id);
      if (!match) this.#refuseId(`${at.pointer}/${index}/id`, element.id);
      else if (at.pointer.endsWith('/limits') && !isAlike(element, match)) left.delete(match);
      else take(index, match);
    }
    for (const [index, element] of unnamed) {
      const match = [...left].find((candidate) => includesAll(candidate, element, filledIn));
      take(index, match);
    }
    for (const [index, element] of unnamed.filter(([position]) => !matches.has(position))) {
      const candidate = before[index];
      if (candidate && this.#isEdited(element, candidate, at)) take(index, candidate);
    }
    return matches;
  }

  /** Whether an element without an id is an edit of the earlier element at its position. */
  #isEdited(element: Json, candidate: Json, { lists }: At): boolean {
    if (holdsParts(lists)) return true;
    return isAlike(element, candidate) && candidate.ownerId === (element.ownerId ?? this.#organisationId);
  }

  #refuseId(pointer: string, id: unknown): void {
    const message = `there is no ${JSON.stringify(id)} here (any more): leave the id out to make a new one`;
    this.faults.push(fault(pointer, 'unknown_id', message));
  }
}

/** Whether the identifying fields are equal. A field that the file leaves out counts as equal. */
function isAlike(written: Json, stored: Json): boolean {
  return identifyingFields.every((field) => written[field] === undefined || written[field] === stored[field]);
}
