import type { JsonNode, JsonObjectNode, Scalar } from '../json-tree.ts';
import { cidr, matchAddress } from './address-operators.ts';
import {
  InvalidEventPatternError,
  matchString,
  type Operator,
  requireOnlyEntry,
  type ValueMatcher,
} from './matcher.ts';
import { matchNumber, numeric, requireComparableNumber } from './numeric-operator.ts';
import { equalsIgnoreCase, exactly, prefix, suffix, wildcard } from './text-operators.ts';

/** Matches a bare value of a pattern's list: the event's value must be equal and of the same type. */
export function matchLiteral(expected: Scalar): ValueMatcher {
  if (expected.kind === 'string') {
    return matchAddress(expected.value) ?? matchString((text) => text === expected.value);
  }
  if (expected.kind === 'number') return matchNumber(expected.text);
  return { matches: (value) => value.kind === 'literal' && value.text === expected.text };
}

/** `{ "exists": true }` or `{ "exists": false }`. Only leaves count as fields; null is a value. */
const exists: Operator = {
  name: 'exists',
  compile(argument) {
    if (argument.kind !== 'literal' || argument.text === 'null') {
      throw new InvalidEventPatternError('exists match pattern must be either true or false.');
    }
    const expected = argument.text === 'true';
    return { matches: () => expected, matchesAbsence: !expected };
  },
};

/** `{ "anything-but": … }`: excludes one or several values, or every text that a comparison matches. */
const anythingBut: Operator = {
  name: 'anything-but',
  compile(argument) {
    const excluded = argument.kind === 'object' ? compileExcludedComparison(argument) : compileExcludedValues(argument);
    return { matches: (value) => !excluded.some((matcher) => matcher.matches(value)) };
  },
};

/** The comparisons that an event pattern may use. The keys are their names. */
export const operators = byName([
  ...[exactly, prefix, suffix, equalsIgnoreCase, wildcard],
  ...[anythingBut, numeric, exists, cidr],
]);

const comparisonsInsideAnythingBut = byName([prefix, suffix, equalsIgnoreCase, wildcard]);

function byName(list: readonly Operator[]): ReadonlyMap<string, Operator> {
  return new Map(list.map((operator) => [operator.name, operator]));
}

function compileExcludedComparison(expression: JsonObjectNode): ValueMatcher[] {
  const [name, argument] = requireOnlyEntry(expression);
  const operator = comparisonsInsideAnythingBut.get(name);
  if (!operator) throw new InvalidEventPatternError(`Unsupported anything-but pattern: ${name}`);

  return listExcluded(argument).map((value) => {
    if (value.kind !== 'string') {
      throw new InvalidEventPatternError(`${name} match pattern inside anything-but must be a string`);
    }
    // Every text starts and ends with the empty text, so the pattern would exclude every text.
    if (value.value === '' && (operator === prefix || operator === suffix)) {
      throw new InvalidEventPatternError('Null prefix/suffix not allowed');
    }
    return operator.compile(value);
  });
}

function compileExcludedValues(argument: JsonNode): ValueMatcher[] {
  const values = listExcluded(argument);
  const kinds = new Set(values.map((value) => value.kind));
  if (kinds.has('literal') || kinds.has('object') || kinds.has('array')) {
    throw new InvalidEventPatternError('Inside anything but list, start|null|boolean is not supported.');
  }
  if (kinds.size !== 1) {
    throw new InvalidEventPatternError(
      'Inside anything but list, either all values are number or string, mixed type is not supported',
    );
  }
  return values.map((value) => (value.kind === 'number' ? matchExactNumber(value.text) : exactly.compile(value)));
}

function matchExactNumber(text: string): ValueMatcher {
  requireComparableNumber(text);
  return matchNumber(text);
}

function listExcluded(argument: JsonNode): readonly JsonNode[] {
  if (argument.kind === 'array') return argument.items;
  if (argument.kind === 'string' || argument.kind === 'number') return [argument];
  throw new InvalidEventPatternError('Value of anything-but must be an array or single string/number value.');
}
