import type { CampaignFault } from '../document/kinds/fault.ts';
import { documentLists, holdsParts, includesAll, isObject, type Json, type Lists, listIn } from '../document/tree.ts';

/** Who writes a document, and from where on its new parts are numbered. */
export interface Numbering {
  readonly organisationId: number;
  readonly nextPartId: number;
}

/** A document whose containers and parts all have ids, and whose parts have owners. */
export interface NumberedDocument {
  readonly document: Json;
  readonly nextPartId: number;
  readonly faults: readonly CampaignFault[];
}

/** What a part is, as against how much of it: two that differ here are two parts. */
const kindFields = ['kind', 'attribute', 'type', 'bound', 'unit', 'period', 'name'] as const;
/** What the platform gives a part. */
const given: ReadonlySet<string> = new Set(['id', 'ownerId']);

/**
 * Gives the parts of a document as a person wrote it their ids and owners. A part that was there before
 * keeps both: it is the one with the same id, otherwise one that says the same, otherwise the writer's own
 * of the same kind at the same position. So a file without ids can be applied again and again. New parts
 * belong to the writer. A limit that is made to count something else is a new one: its count begins anew.
 *
 * @param before the document as it is; null for a new campaign, where ids that the file has mean nothing
 */
export function numberParts(written: Json, before: Json | null, numbering: Numbering): NumberedDocument {
  const numberer = new Numberer(numbering, before === null);
  const document = numberer.inside(written, before ?? undefined, { lists: documentLists, pointer: '' });
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

  /** A value with the lists inside it numbered. */
  inside(written: Json, before: Json | undefined, { lists, pointer }: At): Json {
    const numbered = Object.entries(lists)
      .filter(([name]) => Array.isArray(written[name]))
      .map(([name, inner]) => {
        const at = { lists: inner, pointer: `${pointer}/${name}` };
        return [name, this.#list(written[name] as unknown[], listIn(before, name), at)];
      });
    return { ...written, ...Object.fromEntries(numbered) };
  }

  #list(written: readonly unknown[], before: readonly Json[], at: At): unknown[] {
    const known = this.#match(written, before, at);
    return written.map((element, index) => {
      if (!isObject(element)) return element;
      const match = known.get(index);
      const owner = holdsParts(at.lists) ? {} : { ownerId: element.ownerId ?? match?.ownerId ?? this.#organisationId };
      const id = match?.id ?? this.nextPartId++;
      return { ...this.inside(element, match, { ...at, pointer: `${at.pointer}/${index}` }), id, ...owner };
    });
  }

  /** What of a list was there before, by its position in the new one. */
  #match(written: readonly unknown[], before: readonly Json[], at: At): Map<number, Json> {
    const known = new Map<number, Json>();
    const left = new Set(before);
    const take = (index: number, match: Json | undefined) => {
      if (match && left.delete(match)) known.set(index, match);
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
      take(
        index,
        [...left].find((candidate) => includesAll(candidate, element, given)),
      );
    }
    for (const [index, element] of unnamed.filter(([position]) => !known.has(position))) {
      const candidate = before[index];
      if (candidate && this.#isEdited(element, candidate, at)) take(index, candidate);
    }
    return known;
  }

  /** Whether an element without an id is what stood at its position, changed. */
  #isEdited(element: Json, candidate: Json, { lists }: At): boolean {
    if (holdsParts(lists)) return true;
    return isAlike(element, candidate) && candidate.ownerId === (element.ownerId ?? this.#organisationId);
  }

  #refuseId(pointer: string, id: unknown): void {
    const message = `there is no ${JSON.stringify(id)} here (any more): leave the id out to make a new one`;
    this.faults.push({ pointer, code: 'unknown_id', message });
  }
}

/** What is not written takes the default, which is what is stored. */
function isAlike(written: Json, stored: Json): boolean {
  return kindFields.every((field) => written[field] === undefined || written[field] === stored[field]);
}
