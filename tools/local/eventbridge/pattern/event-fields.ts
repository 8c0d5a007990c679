import { type JsonNode, jsonNodeOf, readJson } from '../json-tree.ts';

/** A leaf of an event. */
export type Scalar = Exclude<JsonNode, { kind: 'object' | 'array' }>;

/** Which element of which array a leaf sits in: array → index. */
export type ArrayPositions = ReadonlyMap<JsonNode, number>;

/** One leaf of an event and where it was found. */
interface Leaf {
  readonly path: string;
  readonly value: Scalar;
  readonly positions: ArrayPositions;
}

/** An event prepared for matching: dotted path → its leaves. Empty objects and arrays leave no trace, as on AWS. */
export type EventFields = ReadonlyMap<string, readonly Leaf[]>;

/** Which fields a reader wants; everything when it does not say. */
export type Wanted = (path: string) => boolean;

/** The fields with these paths, and what leads to them. */
export function wanting(paths: Iterable<string>): Wanted {
  const wanted = new Set<string>();
  for (const path of paths) {
    const names = path.split('.');
    for (const depth of names.keys()) wanted.add(names.slice(0, depth + 1).join('.'));
  }
  return (path) => wanted.has(path);
}

/**
 * Flattens an event into its leaves. Of a large event few fields matter: the others need not be looked at.
 *
 * @param event JSON text, or a value that JSON can carry
 * @throws SyntaxError when the text is not JSON
 * @throws TypeError when it is not an object
 */
export function readEventFields(event: string | object, wanted: Wanted = () => true): EventFields {
  const root = typeof event === 'string' ? readJson(event) : jsonNodeOf(event);
  if (root.kind !== 'object') throw new TypeError('Event must be a JSON object');

  return Map.groupBy(leavesOf(root, { path: '', positions: new Map(), wanted }), (leaf) => leaf.path);
}

interface Place {
  readonly path: string;
  readonly positions: ArrayPositions;
  readonly wanted: Wanted;
}

function* leavesOf(node: JsonNode, place: Place): Generator<Leaf> {
  const { path, positions } = place;
  if (node.kind === 'object') {
    for (const [below, value] of fieldsOf(node, place)) yield* leavesOf(value, { ...place, path: below });
  } else if (node.kind === 'array') {
    for (const [index, item] of node.items.entries()) {
      yield* leavesOf(item, { ...place, positions: isScalar(item) ? positions : new Map(positions).set(node, index) });
    }
  } else {
    yield { path, value: node, positions };
  }
}

/** The wanted fields directly inside an object, with their paths. */
function fieldsOf({ entries }: Extract<JsonNode, { kind: 'object' }>, { path, wanted }: Place): [string, JsonNode][] {
  const fields = entries.map(([name, value]): [string, JsonNode] => [path === '' ? name : `${path}.${name}`, value]);
  return fields.filter(([below]) => wanted(below));
}

/** Positions of both, or undefined when they name different elements of one array. */
export function combinePositions(first: ArrayPositions, second: ArrayPositions): ArrayPositions | undefined {
  for (const [array, index] of second) {
    if ((first.get(array) ?? index) !== index) return undefined;
  }
  return second.size === 0 ? first : new Map([...first, ...second]);
}

/** Scalars directly inside one array are alternatives of one another, not members of different elements. */
function isScalar(node: JsonNode): node is Scalar {
  return node.kind !== 'object' && node.kind !== 'array';
}
