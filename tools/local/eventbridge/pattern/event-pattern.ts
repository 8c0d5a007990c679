import { type JsonNode, type JsonObjectNode, readJson } from '../json-tree.ts';
import { matchLiteral, operators } from './all-operators.ts';
import {
  type ArrayPositions,
  combinePositions,
  type EventFields,
  readEventFields,
  selectPaths,
} from './event-fields.ts';
import { InvalidEventPatternError, requireOnlyEntry, type ValueMatcher } from './matcher.ts';

/** A compiled event pattern. */
export interface EventPattern {
  /**
   * Whether an event satisfies the pattern.
   *
   * @param event JSON text, or a value that JSON can carry. Prefer the text: numbers beyond double precision are
   *   compared by their spelling, which `JSON.parse` loses
   * @throws SyntaxError or TypeError when the event is not a JSON object
   */
  matches(event: string | object): boolean;
  /** Does the same as `matches` for an event whose fields were read before. Several patterns can share one reading. */
  matchesFields(fields: EventFields): boolean;
}

/**
 * Compiles an EventBridge event pattern. Semantics are those of aws/event-ruler.
 *
 * @example
 * compilePattern('{"source":["shop"],"detail":{"total":[{"numeric":[">",100]}]}}').matches(event)
 * @throws InvalidEventPatternError when EventBridge would refuse the pattern
 */
export function compilePattern(patternJson: string): EventPattern {
  const branches = readBranches(patternJson).map(sortByPath);
  const matchesFields = (fields: EventFields): boolean =>
    branches.some((branch) => satisfies(branch, fields, new Map()));

  const isNeeded = selectPaths(branches.flatMap((branch) => branch.map(([path]) => path)));

  return { matchesFields, matches: (event) => matchesFields(readEventFields(event, isNeeded)) };
}

/** The matchers of each path: one of them must match. An event must satisfy all paths of one branch of the pattern. */
type Branch = ReadonlyMap<string, readonly ValueMatcher[]>;

type Condition = readonly [path: string, matchers: readonly ValueMatcher[]];

/** The order matters: `exists: false` looks only at the array elements that earlier paths have chosen. */
function sortByPath(branch: Branch): Condition[] {
  return [...branch].sort(([first], [second]) => (first < second ? -1 : 1));
}

/** Finds one value for each path. Values from the same array must come from the same element. */
function satisfies([condition, ...rest]: readonly Condition[], fields: EventFields, chosen: ArrayPositions): boolean {
  if (!condition) return true;
  const [path, matchers] = condition;

  const reachable = (fields.get(path) ?? []).flatMap(({ value, positions }) => {
    const combined = combinePositions(chosen, positions);
    return combined ? [{ value, combined }] : [];
  });
  if (reachable.length === 0 && matchers.some((matcher) => matcher.matchesAbsence)) {
    return satisfies(rest, fields, chosen);
  }
  return reachable.some(
    ({ value, combined }) => matchers.some((matcher) => matcher.matches(value)) && satisfies(rest, fields, combined),
  );
}

/** What `$or` means in a pattern: the relation, or a field with that name. */
type OrMeaning = 'relation' | 'field';

function readBranches(patternJson: string): Branch[] {
  try {
    const pattern = readJson(patternJson);
    try {
      return compileBranches(pattern, 'relation');
    } catch (error) {
      // Patterns that are older than the relation `$or` may have a field with this name. AWS still accepts them.
      return retryOrThrow(error, () => compileBranches(pattern, 'field'));
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidEventPatternError(`Not valid JSON: ${error.message}`);
    throw error;
  }
}

/** Runs a second attempt. If it fails too, throws the error of the first attempt. */
function retryOrThrow<T>(firstError: unknown, attempt: () => T): T {
  try {
    return attempt();
  } catch {
    throw firstError;
  }
}

/** Field names that EventBridge refuses in a branch of `$or`: they would be taken for comparisons. */
const reservedInOr = new Set([
  ...operators.keys(),
  ...['=', '<', '<=', '>', '>=', 'regex', 'not-wildcard', 'not-equals-ignore-case'],
  ...['date-after', 'date-on-or-after', 'date-before', 'date-on-or-before', 'in-date-range'],
  ...['ip-address-in-range', 'ip-address-not-in-range'],
]);

interface Place {
  readonly path: string;
  readonly insideOr: boolean;
  readonly orMeaning: OrMeaning;
}

/** Each `$or` multiplies the branches so far by its own alternatives. */
function compileBranches(pattern: JsonNode, orMeaning: OrMeaning): Branch[] {
  if (pattern.kind !== 'object') throw new InvalidEventPatternError('Filter is not an object');
  return addObject([new Map()], pattern, { path: '', insideOr: false, orMeaning });
}

function addObject(branches: Branch[], object: JsonObjectNode, place: Place): Branch[] {
  if (object.entries.length === 0) throw new InvalidEventPatternError('Empty objects are not allowed');
  return object.entries.reduce((soFar, [name, value]) => {
    const isRelation = name === '$or' && place.orMeaning === 'relation';
    return isRelation ? addAlternatives(soFar, value, place) : addField(soFar, [name, value], place);
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

function addField(branches: Branch[], [name, value]: readonly [string, JsonNode], place: Place): Branch[] {
  if (place.insideOr && reservedInOr.has(name)) {
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
  if (node.kind !== 'object') return matchLiteral(node);

  const [name, argument] = requireOnlyEntry(node);
  const operator = operators.get(name);
  if (!operator) throw new InvalidEventPatternError(`Unrecognized match type ${name}`);
  return operator.compile(argument);
}
