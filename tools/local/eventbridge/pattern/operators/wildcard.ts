import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';
import { type Operator, requireString, stringMatcher } from './operator.ts';

/** `{ "wildcard": "a*b" }`: `*` stands for any run of characters, `\*` and `\\` for themselves. */
export const wildcard: Operator = {
  name: 'wildcard',
  compile(argument) {
    const pieces = literalPieces(requireString(argument, 'wildcard match pattern must be a string'));
    return stringMatcher((text) => matchesPieces(pieces, text));
  },
};

/** The literal texts between the asterisks. */
function literalPieces(pattern: string): string[] {
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

/** Characters and escapes of the pattern with their positions. */
function tokensOf(pattern: string): [position: number, token: string][] {
  return Array.from(pattern.matchAll(/\\[*\\]|[\s\S]/g), ({ index, 0: token }) => {
    if (token === '\\') throw new InvalidEventPatternError(`Invalid escape character at pos ${index}`);
    return [index, token];
  });
}

/** Linear in the text: each middle piece may take its first occurrence, since what follows only gets more room. */
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
