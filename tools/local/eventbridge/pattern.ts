import { readJson } from './json-tree.ts';
import { type Branch, compileBranches } from './pattern/branches.ts';
import {
  type ArrayPositions,
  combinePositions,
  type EventFields,
  readEventFields,
  wanting,
} from './pattern/event-fields.ts';
import { InvalidEventPatternError } from './pattern/invalid-event-pattern-error.ts';
import type { ValueMatcher } from './pattern/operators/operator.ts';

export { InvalidEventPatternError } from './pattern/invalid-event-pattern-error.ts';

/** A compiled event pattern. */
export interface EventPattern {
  /**
   * Whether an event satisfies the pattern.
   *
   * @param event JSON text, or a value that JSON can carry. Prefer the text: parsing it elsewhere loses the spelling of
   *   numbers, which decides the match of those beyond double precision.
   * @throws SyntaxError or TypeError when the event is not a JSON object
   */
  matches(event: string | object): boolean;
  /** The same for an event already read, so that many patterns can share one reading. */
  matchesFields(fields: EventFields): boolean;
}

/**
 * Compiles an EventBridge event pattern, with the meaning the open-source rule engine of AWS gives it.
 *
 * @example
 * compilePattern('{"source":["shop"],"detail":{"total":[{"numeric":[">",100]}]}}').matches(event)
 * @throws InvalidEventPatternError when EventBridge would refuse the pattern
 */
export function compilePattern(patternJson: string): EventPattern {
  const branches = branchesOf(patternJson).map(inPathOrder);
  const matchesFields = (fields: EventFields): boolean =>
    branches.some((branch) => satisfies(branch, fields, new Map()));

  const wanted = wanting(branches.flatMap((branch) => branch.map(([path]) => path)));

  return { matchesFields, matches: (event) => matchesFields(readEventFields(event, wanted)) };
}

function branchesOf(patternJson: string): Branch[] {
  try {
    const pattern = readJson(patternJson);
    try {
      return compileBranches(pattern, 'relation');
    } catch (error) {
      // Patterns older than the relation may have a field named "$or"; AWS still honours them.
      return orElse(error, () => compileBranches(pattern, 'field'));
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidEventPatternError(`Not valid JSON: ${error.message}`);
    throw error;
  }
}

/** A second attempt whose failure is reported as the first one's. */
function orElse<T>(firstError: unknown, attempt: () => T): T {
  try {
    return attempt();
  } catch {
    throw firstError;
  }
}

type Condition = readonly [path: string, matchers: readonly ValueMatcher[]];

/** By path: `exists: false` looks only at elements chosen by the paths before it, so the order carries meaning. */
function inPathOrder(branch: Branch): Condition[] {
  return [...branch].sort(([first], [second]) => (first < second ? -1 : 1));
}

/** Looks for one value per path such that values from one array come from one element. */
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
