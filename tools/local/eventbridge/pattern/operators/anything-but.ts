import type { JsonNode } from '../../json-tree.ts';
import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';
import { comparableNumber } from './comparable-number.ts';
import { sameNumber } from './literal.ts';
import { type Operator, requireOnlyEntry, type ValueMatcher } from './operator.ts';
import { equalsIgnoreCase, exactly, prefix, suffix } from './strings.ts';
import { wildcard } from './wildcard.ts';

const NEGATABLE: ReadonlyMap<string, Operator> = new Map(
  [prefix, suffix, equalsIgnoreCase, wildcard].map((operator) => [operator.name, operator]),
);

/** `{ "anything-but": … }`: a value, a list of them, or a text comparison over one text or a list of them. */
export const anythingBut: Operator = {
  name: 'anything-but',
  compile(argument) {
    const excluded = argument.kind === 'object' ? excludedComparisons(argument) : excludedValues(argument);
    return { matches: (value) => !excluded.some((matcher) => matcher.matches(value)) };
  },
};

function excludedComparisons(expression: Extract<JsonNode, { kind: 'object' }>): ValueMatcher[] {
  const [name, argument] = requireOnlyEntry(expression);
  const operator = NEGATABLE.get(name);
  if (!operator) throw new InvalidEventPatternError(`Unsupported anything-but pattern: ${name}`);

  return valuesOf(argument).map((value) => {
    if (value.kind !== 'string') {
      throw new InvalidEventPatternError(`${name} match pattern inside anything-but must be a string`);
    }
    // Every text starts and ends with the empty text: the comparison could never match.
    if (value.value === '' && (operator === prefix || operator === suffix)) {
      throw new InvalidEventPatternError('Null prefix/suffix not allowed');
    }
    return operator.compile(value);
  });
}

function excludedValues(argument: JsonNode): ValueMatcher[] {
  const values = valuesOf(argument);
  const kinds = new Set(values.map((value) => value.kind));
  if (kinds.has('literal') || kinds.has('object') || kinds.has('array')) {
    throw new InvalidEventPatternError('Inside anything but list, start|null|boolean is not supported.');
  }
  if (kinds.size !== 1) {
    throw new InvalidEventPatternError(
      'Inside anything but list, either all values are number or string, mixed type is not supported',
    );
  }
  return values.map((value) => (value.kind === 'number' ? excludedNumber(value.text) : exactly.compile(value)));
}

function excludedNumber(text: string): ValueMatcher {
  if (comparableNumber(text) === undefined) throw new InvalidEventPatternError(`Cannot compare number : ${text}`);
  return sameNumber(text);
}

function valuesOf(argument: JsonNode): readonly JsonNode[] {
  if (argument.kind === 'array') return argument.items;
  if (argument.kind === 'string' || argument.kind === 'number') return [argument];
  throw new InvalidEventPatternError('Value of anything-but must be an array or single string/number value.');
}
