import { type JsonNode, type JsonObjectNode, readJson, type Scalar, toJsonNode } from '../json-tree.ts';

/** For each array around a leaf: the index of the element that contains the leaf. */
export type ArrayPositions = ReadonlyMap<JsonNode, number>;

interface Leaf {
  readonly path: string;
  readonly value: Scalar;
  readonly positions: ArrayPositions;
}

/** An event prepared for matching: dotted path → its leaves. Empty objects and arrays have no leaves, as on AWS. */
export type EventFields = ReadonlyMap<string, readonly Leaf[]>;

type PathFilter = (path: string) => boolean;

/** Accepts these paths and every path that leads to one of them. */
export function selectPaths(paths: Iterable<string>): PathFilter {
  const selected = new Set<string>();
  for (const path of paths) {
    const names = path.split('.');
    for (const depth of names.keys()) selected.add(names.slice(0, depth + 1).join('.'));
  }
  return (path) => selected.has(path);
}

/**
 * Flattens an event into its leaves.
 *
 * @param event JSON text, or a value that JSON can carry
 * @param isNeeded whether patterns need the field at a path; the other fields of the event are skipped
 * @throws SyntaxError when the text is not JSON
 * @throws TypeError when it is not an object
 */
export function readEventFields(event: string | object, isNeeded: PathFilter = () => true): EventFields {
  const root = typeof event === 'string' ? readJson(event) : toJsonNode(event);
  if (root.kind !== 'object') throw new TypeError('Event must be a JSON object');

  return Map.groupBy(leavesOf(root, { path: '', positions: new Map(), isNeeded }), (leaf) => leaf.path);
}

/** Merges two positions, or returns undefined when they name different elements of one array. */
export function combinePositions(first: ArrayPositions, second: ArrayPositions): ArrayPositions | undefined {
  for (const [array, index] of second) {
    if ((first.get(array) ?? index) !== index) return undefined;
  }
  return second.size === 0 ? first : new Map([...first, ...second]);
}

interface Place {
  readonly path: string;
  readonly positions: ArrayPositions;
  readonly isNeeded: PathFilter;
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

function fieldsOf({ entries }: JsonObjectNode, { path, isNeeded }: Place): [string, JsonNode][] {
  const fields = entries.map(([name, value]): [string, JsonNode] => [path === '' ? name : `${path}.${name}`, value]);
  return fields.filter(([below]) => isNeeded(below));
}

/**
 * Whether a node is a scalar. A pattern may match any scalar of an array, so a scalar's own index in the array is not
 * recorded.
 */
function isScalar(node: JsonNode): node is Scalar {
  return node.kind !== 'object' && node.kind !== 'array';
}
