import type { JsonNode } from '../../json-tree.ts';
import type { Scalar } from '../event-fields.ts';
import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';

/** One alternative in a pattern's list for a field. */
export interface ValueMatcher {
  /** Whether a value of the field satisfies it. */
  matches(value: Scalar): boolean;
  /** Whether the field's absence satisfies it; only `exists: false` says so. */
  readonly matchesAbsence?: boolean;
}

/** A comparison such as `prefix`: it turns its argument in the pattern into a matcher. */
export interface Operator {
  readonly name: string;
  /** @throws InvalidEventPatternError when the argument is not one the operator takes */
  compile(argument: JsonNode): ValueMatcher;
}

/** The argument as text. */
export function requireString(argument: JsonNode, message: string): string {
  if (argument.kind !== 'string') throw new InvalidEventPatternError(message);
  return argument.value;
}

/** The name and argument of an object that must hold exactly one. */
export function requireOnlyEntry(expression: Extract<JsonNode, { kind: 'object' }>): readonly [string, JsonNode] {
  const [entry, ...others] = expression.entries;
  if (!entry) throw new InvalidEventPatternError('Match expression name not found');
  if (others.length > 0) throw new InvalidEventPatternError('Only one key allowed in match expression');
  return entry;
}

/** A matcher over strings: a value of any other type does not match. */
export function stringMatcher(test: (text: string) => boolean): ValueMatcher {
  return { matches: (value) => value.kind === 'string' && test(value.value) };
}
