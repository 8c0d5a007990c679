/** Sentences about campaigns, in pieces, so that a screen can mark their values and lead from each to its field. */

/** A piece of a sentence. With a pointer it is a value of the campaign. */
interface Piece {
  readonly text: string;
  /** JSON Pointer of the value in the document. */
  readonly pointer?: string;
}

/** A sentence, or a part of one. */
export type Phrase = readonly Piece[];

/** Something that a phrase can contain. */
type Word = string | Phrase;

/** Puts words together: say`the purchase is more than ${amount}`. */
export function say(texts: TemplateStringsArray, ...words: readonly Word[]): Phrase {
  return join(texts.flatMap((text, position) => [text, words[position] ?? '']));
}

/** Joins words as they are. Neighbouring pieces without a pointer become one piece. */
export function join(words: readonly Word[]): Phrase {
  const pieces: Piece[] = [];
  for (const piece of words.flatMap(piecesOf)) {
    const last = pieces.at(-1);
    if (piece.text === '') continue;
    if (last && last.pointer === undefined && piece.pointer === undefined) pieces.pop();
    const isMerged = last !== undefined && last !== pieces.at(-1);
    pieces.push(isMerged ? { text: last.text + piece.text } : piece);
  }
  return pieces;
}

const piecesOf = (word: Word): Phrase => (typeof word === 'string' ? [{ text: word }] : word);

/** Joins phrases with a separator. */
export const joinWith = (separator: string, words: readonly Word[]): Phrase =>
  join(words.flatMap((word, position) => (position === 0 ? [word] : [separator, word])));

/** `a, b or c` */
export function oneOf(words: readonly Word[], conjunction = 'or'): Phrase {
  const [last = 'nothing', ...others] = [...words].reverse();
  return others.length === 0 ? join([last]) : join([joinWith(', ', others.reverse()), ` ${conjunction} `, last]);
}

/** A value of the document at a pointer. */
export const marked = (text: string, pointer: string | undefined): Phrase => [
  pointer === undefined ? { text } : { text, pointer },
];

/** Adds a unit to a value, so that the unit is marked with it. */
export const withSuffix = (phrase: Phrase, suffix: string): Phrase =>
  phrase.map((piece) => ({ ...piece, text: piece.text + suffix }));

/** The plain text of a phrase. */
export const textOf = (phrase: Phrase): string => phrase.map(({ text }) => text).join('');

/** The phrase with a capital first letter. */
export function capitalised(phrase: Phrase): Phrase {
  const [first, ...rest] = phrase;
  return first ? [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...rest] : phrase;
}
