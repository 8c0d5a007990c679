import type { JsonNode, JsonObjectNode } from '../json-tree.ts';
import { InvalidEventPatternError, matchString, type Operator, requireOnlyEntry, requireString } from './matcher.ts';

/** `{ "exactly": "text" }`: equal text. Unlike a bare string, the text is never compared as an IP address. */
export const exactly: Operator = {
  name: 'exactly',
  compile(argument) {
    const expected = requireString(argument, 'exact match pattern must be a string');
    return matchString((text) => text === expected);
  },
};

/** `{ "equals-ignore-case": "text" }`. */
export const equalsIgnoreCase: Operator = {
  name: 'equals-ignore-case',
  compile(argument) {
    const expression = new RegExp(`^${caselessSource(argument)}$`);
    return matchString((text) => expression.test(text));
  },
};

/** `{ "prefix": "text" }` or `{ "prefix": { "equals-ignore-case": "text" } }`. */
export const prefix: Operator = {
  name: 'prefix',
  compile(argument) {
    if (argument.kind === 'object') {
      const expression = new RegExp(`^${caselessSource(readIgnoreCase(argument, 'prefix'))}`);
      return matchString((text) => expression.test(text));
    }
    const start = requireString(argument, 'prefix match pattern must be a string');
    return matchString((text) => text.startsWith(start));
  },
};

/** `{ "suffix": "text" }` or `{ "suffix": { "equals-ignore-case": "text" } }`. */
export const suffix: Operator = {
  name: 'suffix',
  compile(argument) {
    if (argument.kind === 'object') {
      const expression = new RegExp(`${caselessSource(readIgnoreCase(argument, 'suffix'))}$`);
      return matchString((text) => expression.test(text));
    }
    const end = requireString(argument, 'suffix match pattern must be a string');
    return matchString((text) => text.endsWith(end));
  },
};

/** `{ "wildcard": "a*b" }`: `*` matches any run of characters. `\*` and `\\` match the characters `*` and `\`. */
export const wildcard: Operator = {
  name: 'wildcard',
  compile(argument) {
    const pieces = splitAtWildcards(requireString(argument, 'wildcard match pattern must be a string'));
    return matchString((text) => matchesPieces(pieces, text));
  },
};

function readIgnoreCase(expression: JsonObjectNode, outer: string): JsonNode {
  const [name, argument] = requireOnlyEntry(expression);
  if (name !== 'equals-ignore-case') throw new InvalidEventPatternError(`Unsupported ${outer} pattern: ${name}`);
  return argument;
}

/**
 * Returns the source of a regular expression that matches a text regardless of case.
 *
 * Works character by character: some letters change their length with their case ("ß" and "SS"). Converting both texts
 * to one case first would make different texts equal.
 */
function caselessSource(argument: JsonNode): string {
  return requireString(argument, 'equals-ignore-case match pattern must be a string')
    .split('')
    .map((char) => `(?:${escapeRegExp(char.toLowerCase())}|${escapeRegExp(char.toUpperCase())})`)
    .join('');
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Returns the literal texts between the asterisks. */
function splitAtWildcards(pattern: string): string[] {
  const pieces = [''];
  let afterAsterisk = false;

  for (const [position, token] of tokensOf(pattern)) {
    const isAsterisk = token === '*';
    if (isAsterisk && afterAsterisk) {
      throw new InvalidEventPatternError(`Consecutive wildcard characters at pos ${position - 1}`);
    }
    if (isAsterisk) pieces.push('');
    else pieces.push((pieces.pop() ?? '') + token.slice(-1));
    afterAsterisk = isAsterisk;
  }
  return pieces;
}

/** Returns the characters and escapes of the pattern with their positions. */
function tokensOf(pattern: string): [position: number, token: string][] {
  return Array.from(pattern.matchAll(/\\[*\\]|[\s\S]/g), ({ index, 0: token }) => {
    if (token === '\\') throw new InvalidEventPatternError(`Invalid escape character at pos ${index}`);
    return [index, token];
  });
}

/**
 * Takes the first occurrence of each middle piece, because the first one leaves the most room for the pieces after it.
 * So the time grows only with the length of the text.
 */
function matchesPieces(pieces: readonly string[], text: string): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;

  let from = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, from);
    if (found === -1) return false;
    from = found + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
