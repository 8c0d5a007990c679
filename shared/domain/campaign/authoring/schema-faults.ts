import { en } from 'zod/locales';
import type * as z from 'zod/mini';
import type { CampaignFault } from '../document/kinds/kind.ts';

/** A document breaks rules. The error lists every fault with its place. */
export class FaultyDocumentError extends Error {
  override readonly name = 'FaultyDocumentError';
  /** The document, such as `the file`. */
  readonly subject: string;
  readonly faults: readonly CampaignFault[];

  constructor(subject: string, faults: readonly CampaignFault[]) {
    super(`${subject}: ${faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}`);
    this.subject = subject;
    this.faults = faults;
  }
}

/** zod/mini contains no messages. This locale has the messages of all issues that this file does not describe. */
const english = en().localeError;

/** Parses a written value, or returns all of its faults in words. */
export function parseWith<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): { readonly parsed: z.infer<Schema> } | { readonly faults: CampaignFault[] } {
  const result = schema.safeParse(value, { error: english });
  if (result.success) return { parsed: result.data };
  return { faults: result.error.issues.flatMap((issue) => faultsOf(issue, value)) };
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown): CampaignFault[] {
  if (issue.code === 'unrecognized_keys') {
    const message = 'is not known here: is it misspelt, or in the wrong place?';
    return issue.keys.map((key) => ({ pointer: pointerOf([...issue.path, key]), code: 'unknown_field', message }));
  }
  const isMissing = at(value, issue.path) === undefined;
  const message = isMissing ? `is missing${choicesOf(issue)}` : describeIssue(issue);
  return [{ pointer: pointerOf(issue.path), code: isMissing ? 'required' : issue.code, message }];
}

function choicesOf(issue: z.core.$ZodIssue): string {
  const choices = namesIn(issue);
  return choices === undefined ? '' : `: it is one of ${choices}`;
}

function describeIssue(issue: z.core.$ZodIssue): string {
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
      return issue.message;
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

const measureOf = (origin: string) => (origin === 'string' || origin === 'array' ? 'have' : 'be');
const unitOf = (origin: string) => ({ string: ' characters', array: ' entries' })[origin] ?? '';

function namesIn(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_value') return issue.values.join(', ');
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return issue.options.join(', ');
  }
  return undefined;
}

/** The JSON Pointer of a path (RFC 6901). */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}
