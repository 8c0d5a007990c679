import type * as z from 'zod/mini';
import { describeIssue, namesIn, unworded } from '../../issues.ts';
import type { CampaignFault } from '../document/kinds/kind.ts';

/** A document breaks rules. The error lists every fault with its place. */
export class FaultyDocumentError extends Error {
  override readonly name = 'FaultyDocumentError';
  /** The words by which the message names the document, such as `the file`. */
  readonly subject: string;
  readonly faults: readonly CampaignFault[];

  constructor(subject: string, faults: readonly CampaignFault[]) {
    super(`${subject}: ${faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}`);
    this.subject = subject;
    this.faults = faults;
  }
}

/** Parses a written value, or returns all of its faults in words. */
export function parseWith<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): { readonly parsed: z.infer<Schema> } | { readonly faults: CampaignFault[] } {
  const result = schema.safeParse(value, { error: () => unworded });
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
