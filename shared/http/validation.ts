import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { once } from '../runtime/once.ts';
import type { AnyContract } from './contract.ts';
import { type Fault, RequestRefused } from './refusal.ts';

/** The small zod brings no words for what is wrong; they are loaded when somebody may need them. */
const english = once(() => z.config(en()));

/**
 * Parses a part of a request.
 *
 * @throws RequestRefused with every fault at once
 */
export function parsePart<Schema extends z.ZodMiniType>(
  contract: AnyContract,
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  english();
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(
    contract,
    result.error.issues.map((issue) => faultOf(issue, value)),
  );
}

/** The refusal of a request that is not as its contract says. */
export function invalidRequest(contract: AnyContract, faults: readonly Fault[]): RequestRefused {
  const [first, ...others] = faults;
  const where = first?.pointer ? `${first.pointer}: ` : '';
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const message = first ? `${where}${first.message}${more}` : 'the request is malformed';
  return new RequestRefused(400, contract.invalidRequest ?? 'invalid_request', message, { faults });
}

function faultOf(issue: z.core.$ZodIssue, value: unknown): Fault {
  // null is what is not there, as with optional fields.
  const isMissing = issue.code === 'invalid_type' && (at(value, issue.path) ?? undefined) === undefined;
  if (!isMissing) return { pointer: pointerOf(issue.path), code: issue.code, message: issue.message };
  const message = issue.path.length === 0 ? 'a body is required' : 'is required';
  return { pointer: pointerOf(issue.path), code: 'required', message };
}

/** JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}
