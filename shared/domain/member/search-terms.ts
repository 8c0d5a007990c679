import { maximumCount } from '../../contracts/limits.ts';
import type { User } from './member.ts';

/** The terms by which operators find a member: e-mail, phone and the words of the name, in one spelling each. */

/** The kinds of terms, each with the function that brings a text into its one spelling. */
const spellings = {
  email: (text: string) => (/^[^@\s]+@[^@\s]+$/.test(text.trim()) ? text.trim().toLowerCase() : undefined),
  phone: (text: string) => (/^\+?[\d\s().\-/]{5,}$/.test(text.trim()) ? text.replaceAll(/\D/g, '') : undefined),
} as const;

/** A term and its kind. */
export interface SearchTerm {
  readonly kind: 'email' | 'phone' | 'name';
  readonly value: string;
}

/** The terms under which a member is found. */
export function termsOf({ email, phoneNumber, firstName, lastName }: User): SearchTerm[] {
  return [
    ...termsOfText('email', email),
    ...termsOfText('phone', phoneNumber ?? ''),
    ...nameTerms(firstName, lastName),
  ];
}

/**
 * The terms that a search text may stand for. A search for several words of a name finds the members who have all of
 * these words.
 *
 * @returns no more than one term for an e-mail address or phone number
 */
export function termsOfSearch(text: string): SearchTerm[] {
  const exact = [...termsOfText('email', text), ...termsOfText('phone', text)];
  return exact.length > 0 ? exact : nameTerms(text);
}

/**
 * Whether a member is found by all terms of a search. Checks the member again, because the rows of the search index may
 * be out of date.
 */
export function hasTerms(user: User, terms: readonly SearchTerm[]): boolean {
  const own = termsOf(user);
  return terms.every((term) => own.some(({ kind, value }) => kind === term.kind && value === term.value));
}

function termsOfText(kind: keyof typeof spellings, text: string): SearchTerm[] {
  const value = spellings[kind](text);
  return value === undefined ? [] : [{ kind, value }];
}

/** Accents, case and punctuation make no difference: `O’Néil` is `o` and `neil`. */
function nameTerms(...names: readonly string[]): SearchTerm[] {
  const plain = names.join(' ').normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = new Set(plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''));
  return [...words].slice(0, maximumCount.indexedWords).map((value) => ({ kind: 'name', value }));
}
