import { isObject, listIn } from '../../../../shared/domain/campaign/document/tree.ts';

/** The flows of a document, also of one that is not complete. */
export const flowsOf = (document: unknown): readonly Readonly<Record<string, unknown>>[] =>
  isObject(document) ? listIn(document, 'flows') : [];
