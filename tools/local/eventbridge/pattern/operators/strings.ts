import type { JsonNode } from '../../json-tree.ts';
import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';
import { ignoringCase } from './ignore-case.ts';
import { type Operator, requireOnlyEntry, requireString, stringMatcher } from './operator.ts';

/** `{ "exactly": "text" }`: equal text; unlike a bare string it never means an address. */
export const exactly: Operator = {
  name: 'exactly',
  compile(argument) {
    const expected = requireString(argument, 'exact match pattern must be a string');
    return stringMatcher((text) => text === expected);
  },
};

/** `{ "equals-ignore-case": "text" }`. */
export const equalsIgnoreCase: Operator = {
  name: 'equals-ignore-case',
  compile(argument) {
    const expression = new RegExp(`^${caseless(argument)}$`);
    return stringMatcher((text) => expression.test(text));
  },
};

/** `{ "prefix": "text" }` or `{ "prefix": { "equals-ignore-case": "text" } }`. */
export const prefix: Operator = {
  name: 'prefix',
  compile(argument) {
    if (argument.kind === 'object') {
      const expression = new RegExp(`^${caseless(nestedIgnoreCase(argument, 'prefix'))}`);
      return stringMatcher((text) => expression.test(text));
    }
    const start = requireString(argument, 'prefix match pattern must be a string');
    return stringMatcher((text) => text.startsWith(start));
  },
};

/** `{ "suffix": "text" }` or `{ "suffix": { "equals-ignore-case": "text" } }`. */
export const suffix: Operator = {
  name: 'suffix',
  compile(argument) {
    if (argument.kind === 'object') {
      const expression = new RegExp(`${caseless(nestedIgnoreCase(argument, 'suffix'))}$`);
      return stringMatcher((text) => expression.test(text));
    }
    const end = requireString(argument, 'suffix match pattern must be a string');
    return stringMatcher((text) => text.endsWith(end));
  },
};

function caseless(argument: JsonNode): string {
  return ignoringCase(requireString(argument, 'equals-ignore-case match pattern must be a string'));
}

function nestedIgnoreCase(expression: Extract<JsonNode, { kind: 'object' }>, outer: string): JsonNode {
  const [name, argument] = requireOnlyEntry(expression);
  if (name !== 'equals-ignore-case') throw new InvalidEventPatternError(`Unsupported ${outer} pattern: ${name}`);
  return argument;
}
