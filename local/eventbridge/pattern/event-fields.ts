import { type JsonNode, readJson } from '../json-tree.ts';

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

/**
 * Flattens an event into its leaves.
 *
 * @throws SyntaxError when the text is not JSON
 * @throws TypeError when it is not an object
 */
export function readEventFields(eventJson: string): EventFields {
  const event = readJson(eventJson);
  if (event.kind !== 'object') throw new TypeError('Event must be a JSON object');

  return Map.groupBy(leavesOf(event, '', new Map()), (leaf) => leaf.path);
}

function* leavesOf(node: JsonNode, path: string, positions: ArrayPositions): Generator<Leaf> {
  if (node.kind === 'object') {
    for (const [name, value] of node.entries) {
      yield* leavesOf(value, path === '' ? name : `${path}.${name}`, positions);
    }
  } else if (node.kind === 'array') {
    for (const [index, item] of node.items.entries()) {
      yield* leavesOf(item, path, isScalar(item) ? positions : new Map(positions).set(node, index));
    }
  } else {
    yield { path, value: node, positions };
  }
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
