import type * as z from 'zod/mini';

/**
 * The issues that schemas find, in the platform's own words. zod/mini contains no texts, and its locales are written
 * for developers.
 */

/**
 * Parsers give this message to an issue whose schema has no words of its own; {@link describeIssue} then replaces it.
 */
export const unworded = 'Invalid input';

/** Describes an issue in words that follow the name of the field: `has to be a whole number`. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const choices = namesIn(issue);
  if (choices !== undefined) return `has to be ${choices.includes(',') ? 'one of ' : ''}${choices}`;
  switch (issue.code) {
    case 'invalid_type':
      return `has to be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.minimum === 1 && measureOf(issue.origin) === 'have') return 'must not be empty';
      return `has to ${measureOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `has to ${measureOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return issue.message === unworded ? describeRest(issue) : issue.message;
  }
}

function describeRest(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_format':
      return `has to be ${formatNames[issue.format] ?? 'text in the documented form'}`;
    case 'not_multiple_of':
      return `has to be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'has none of the accepted forms';
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return 'is not allowed';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formatNames: Readonly<Record<string, string>> = {
  datetime: 'a time with its offset, such as 2026-11-20T09:30:00Z',
  uuid: 'a UUID',
  guid: 'a UUID',
  email: 'an e-mail address',
  url: 'a URL',
};

const measureOf = (origin: string) => (origin === 'string' || origin === 'array' ? 'have' : 'be');
const unitOf = (origin: string) => ({ string: ' characters', array: ' entries' })[origin] ?? '';

/** The values that the schema allows where it found an issue; undefined when they cannot be listed. */
export function namesIn(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_value') return issue.values.join(', ');
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return issue.options.join(', ');
  }
  return undefined;
}
