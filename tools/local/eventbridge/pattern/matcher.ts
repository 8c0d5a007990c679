import type { JsonNode, JsonObjectNode, Scalar } from '../json-tree.ts';

/** EventBridge refuses the event pattern. The message names the fault. */
export class InvalidEventPatternError extends Error {
  override readonly name = 'InvalidEventPatternError';
}

/** One alternative in a pattern's list for a field. */
export interface ValueMatcher {
  /** Whether a value of the field satisfies the alternative. */
  matches(value: Scalar): boolean;
  /** Whether a missing field satisfies the alternative. True for `exists: false` only. */
  readonly matchesAbsence?: boolean;
}

/** A comparison such as `prefix`. It compiles its argument in the pattern to a matcher. */
export interface Operator {
  readonly name: string;
  /** @throws InvalidEventPatternError when the operator does not accept the argument */
  compile(argument: JsonNode): ValueMatcher;
}

export function requireString(argument: JsonNode, message: string): string {
  if (argument.kind !== 'string') throw new InvalidEventPatternError(message);
  return argument.value;
}

/** Returns the name and the argument of an object that must have exactly one entry. */
export function requireOnlyEntry(expression: JsonObjectNode): readonly [string, JsonNode] {
  const [entry, ...others] = expression.entries;
  if (!entry) throw new InvalidEventPatternError('Match expression name not found');
  if (others.length > 0) throw new InvalidEventPatternError('Only one key allowed in match expression');
  return entry;
}

/** Matches strings that pass the test. A value of another type does not match. */
export function matchString(test: (text: string) => boolean): ValueMatcher {
  return { matches: (value) => value.kind === 'string' && test(value.value) };
}
