import { isObject, type Json, listIn } from '../../../shared/domain/campaign/document/tree.ts';
import { type Pointer, pathOf, valueAt } from './pointer.ts';

/** What a person may not change, with the reason. The server refuses the same changes. */

export interface LockContext {
  /** The organisation of the person. */
  readonly organisationId: number;
  nameOf(organisationId: number): string;
  /** The live version; null before the first approval. */
  readonly live: { readonly hasBegun: boolean } | null;
}

/**
 * Why the value at a pointer cannot be changed or removed; undefined when it can.
 *
 * @param pointer of a part, a field, a flow, a group, or a field of the campaign
 */
export function lockOf(document: Json, pointer: Pointer, context: LockContext): string | undefined {
  if (pointer === '/type' && context.live) return 'Partners know the running campaign by its type: it stays.';
  if (pointer === '/startsAt' && context.live?.hasBegun) return 'The campaign has begun: its start stays.';
  return lockedPart(document, pointer, context) ?? lockedContainer(document, pointer, context);
}

/** A part of the other side is locked, with everything in it. */
function lockedPart(document: Json, pointer: Pointer, context: LockContext): string | undefined {
  const owner = elementsAround(pointer)
    .map((at) => ownerAt(document, at))
    .find((id) => id !== undefined && id !== context.organisationId);
  return owner === undefined ? undefined : `This belongs to ${context.nameOf(owner)}. Only they can change it.`;
}

const ownerAt = (document: Json, pointer: Pointer): number | undefined => {
  const value = valueAt(document, pointer);
  return isObject(value) && typeof value.ownerId === 'number' ? value.ownerId : undefined;
};

/**
 * A flow or group with parts of the other side keeps its own fields, because the meaning of those parts depends on them.
 * New parts may be added, and own parts changed.
 */
function lockedContainer(document: Json, pointer: Pointer, context: LockContext): string | undefined {
  const container = containerOf(pointer);
  const value = container === undefined ? undefined : valueAt(document, container);
  if (!isObject(value)) return undefined;
  const owner = ownersIn(value).find((id) => id !== context.organisationId);
  return owner === undefined ? undefined : `A part of ${context.nameOf(owner)} depends on it.`;
}

/** The pointers of all list elements on the way to a value: `/flows/0`, `/flows/0/actions/1`. */
function elementsAround(pointer: Pointer): Pointer[] {
  const path = pathOf(pointer);
  return path.flatMap((name, position) =>
    /^\d+$/.test(name) && position > 0 ? [`/${path.slice(0, position + 1).join('/')}`] : [],
  );
}

/** The lists of a container: they are no fields of its own. */
const lists: ReadonlySet<string> = new Set(['actions', 'conditionGroups', 'conditions', 'multipliers', 'limits']);

/** The flow or group that a pointer leads to, or whose own field it leads to. */
function containerOf(pointer: Pointer): Pointer | undefined {
  const match = /^(?<container>\/flows\/\d+(?:\/conditionGroups\/\d+)?)(?:\/(?<field>[^/]+).*)?$/.exec(pointer)?.groups;
  return match && !lists.has(match.field ?? '') ? match.container : undefined;
}

function ownersIn(container: Json): number[] {
  const parts = [...lists].flatMap((name) => listIn(container, name));
  return parts.flatMap((part) => (typeof part.ownerId === 'number' ? [part.ownerId] : ownersIn(part)));
}
