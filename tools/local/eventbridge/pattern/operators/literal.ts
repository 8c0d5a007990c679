import type { Scalar } from '../event-fields.ts';
import { sameAddress } from './address.ts';
import { comparableNumber } from './comparable-number.ts';
import { stringMatcher, type ValueMatcher } from './operator.ts';

/** A bare value in a pattern's list: the event's value must equal it, types included. */
export function literal(expected: Scalar): ValueMatcher {
  if (expected.kind === 'string') {
    return sameAddress(expected.value) ?? stringMatcher((text) => text === expected.value);
  }
  if (expected.kind === 'number') return sameNumber(expected.text);
  return { matches: (value) => value.kind === 'literal' && value.text === expected.text };
}

/** Equal in value, or, where a double cannot hold it, equal in spelling. */
export function sameNumber(expectedText: string): ValueMatcher {
  const expected = comparableNumber(expectedText);
  return {
    matches(value) {
      if (value.kind !== 'number') return false;
      return value.text === expectedText || (expected !== undefined && comparableNumber(value.text) === expected);
    },
  };
}
