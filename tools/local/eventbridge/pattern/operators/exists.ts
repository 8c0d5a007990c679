import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';
import type { Operator } from './operator.ts';

/** `{ "exists": true }` or `{ "exists": false }`; it looks at leaves only, and null is a value. */
export const exists: Operator = {
  name: 'exists',
  compile(argument) {
    if (argument.kind !== 'literal' || argument.text === 'null') {
      throw new InvalidEventPatternError('exists match pattern must be either true or false.');
    }
    const expected = argument.text === 'true';
    return { matches: () => expected, matchesAbsence: !expected };
  },
};
