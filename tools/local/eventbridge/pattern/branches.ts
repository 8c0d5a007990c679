import type { JsonNode } from '../json-tree.ts';
import { InvalidEventPatternError } from './invalid-event-pattern-error.ts';
import { literal } from './operators/literal.ts';
import { requireOnlyEntry, type ValueMatcher } from './operators/operator.ts';
import { OPERATORS } from './operators/registry.ts';

/** Path → alternatives, all paths to be satisfied together. A pattern is a list of branches, one to be satisfied. */
export type Branch = ReadonlyMap<string, readonly ValueMatcher[]>;

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

/** Field names a branch of `$or` may not use: they would read as comparisons. */
const RESERVED_IN_OR = new Set([
  ...OPERATORS.keys(),
  ...['=', '<', '<=', '>', '>=', 'regex', 'not-wildcard', 'not-equals-ignore-case'],
  ...['date-after', 'date-on-or-after', 'date-before', 'date-on-or-before', 'in-date-range'],
  ...['ip-address-in-range', 'ip-address-not-in-range'],
]);

/** Whether `$or` is the relation, or a field that happens to have that name. */
export type OrMeaning = 'relation' | 'field';

/**
 * Compiles a pattern into branches: each `$or` multiplies the branches met so far by its own.
 *
 * @throws InvalidEventPatternError
 */
export function compileBranches(pattern: JsonNode, orMeaning: OrMeaning): Branch[] {
  if (pattern.kind !== 'object') throw new InvalidEventPatternError('Filter is not an object');
  return addObject([new Map()], pattern, { path: '', insideOr: false, orMeaning });
}

interface Place {
  readonly path: string;
  readonly insideOr: boolean;
  readonly orMeaning: OrMeaning;
}

function addObject(branches: Branch[], object: ObjectNode, place: Place): Branch[] {
  if (object.entries.length === 0) throw new InvalidEventPatternError('Empty objects are not allowed');
  return object.entries.reduce((soFar, [name, value]) => {
    const isRelation = name === '$or' && place.orMeaning === 'relation';
    return isRelation ? addAlternatives(soFar, value, place) : addField(soFar, name, value, place);
  }, branches);
}

function addAlternatives(branches: Branch[], value: JsonNode, place: Place): Branch[] {
  if (value.kind !== 'array') throw new InvalidEventPatternError('It must be an Array followed with $or.');
  if (value.items.length < 2) {
    throw new InvalidEventPatternError('There must have at least 2 Objects in $or relationship.');
  }
  return value.items.flatMap((item) => {
    if (item.kind !== 'object') {
      throw new InvalidEventPatternError('Only JSON object is allowed in array of $or relationship.');
    }
    return addObject(branches, item, { ...place, insideOr: true });
  });
}

function addField(branches: Branch[], name: string, value: JsonNode, place: Place): Branch[] {
  if (place.insideOr && RESERVED_IN_OR.has(name)) {
    throw new InvalidEventPatternError(`${name} is Ruler reserved fieldName which cannot be used inside $or.`);
  }
  const path = place.path === '' ? name : `${place.path}.${name}`;
  if (value.kind === 'object') return addObject(branches, value, { ...place, path });
  if (value.kind !== 'array') throw new InvalidEventPatternError(`"${name}" must be an object or an array`);
  if (value.items.length === 0) throw new InvalidEventPatternError('Empty arrays are not allowed');

  const matchers = value.items.map(compileAlternative);
  return branches.map((branch) => new Map(branch).set(path, matchers));
}

function compileAlternative(node: JsonNode): ValueMatcher {
  if (node.kind === 'array') {
    throw new InvalidEventPatternError('Match value must be String, number, true, false, or null');
  }
  if (node.kind !== 'object') return literal(node);

  const [name, argument] = requireOnlyEntry(node);
  const operator = OPERATORS.get(name);
  if (!operator) throw new InvalidEventPatternError(`Unrecognized match type ${name}`);
  return operator.compile(argument);
}
