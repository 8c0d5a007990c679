import { textOf } from '../../../../shared/domain/campaign/document/kinds/phrase.ts';
import { isObject, type Json, placesOf } from '../../../../shared/domain/campaign/document/tree.ts';
import {
  actionWords,
  conditionWords,
  limitWords,
  multiplierWords,
  type SentenceContext,
} from '../../../../shared/domain/campaign/words/flow-sentence.ts';

/** A part of a campaign in words, and the organisation that owns it. */
export interface OwnedPart {
  readonly pointer: string;
  readonly text: string;
  readonly owner: number;
}

/** The parts of the flows of a document, in its order. */
export function ownedParts(document: unknown, context: SentenceContext): OwnedPart[] {
  if (!isObject(document)) return [];
  return placesOf(document).flatMap(({ pointer, list, value }) => {
    const text = wordsOf(list.split('/').at(-1) ?? '', value, pointer, context);
    const owner = value.ownerId;
    return text === null || typeof owner !== 'number' ? [] : [{ pointer, text, owner }];
  });
}

function wordsOf(list: string, part: Json, pointer: string, context: SentenceContext): string | null {
  switch (list) {
    case 'actions':
      return textOf(actionWords(part, undefined, pointer, context));
    case 'conditions':
      return `only if ${textOf(conditionWords(part, pointer, context.names))}`;
    case 'multipliers':
      return textOf(multiplierWords(part, pointer, context.names));
    case 'limits':
      return textOf(limitWords(part, pointer));
    default:
      return null;
  }
}
