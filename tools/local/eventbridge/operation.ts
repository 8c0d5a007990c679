import type * as z from 'zod/mini';
import { AwsError, paginate, validationError } from '../aws-service/service-server.ts';
import type { EventBus } from './bus.ts';

/** An operation's input as it was received. Its fields are not checked yet. */
export type OperationInput = Readonly<Record<string, unknown>>;

/** One operation of the API. Returns the reply's body, or throws an AwsError. */
export type Operation = (bus: EventBus, input: OperationInput) => object;

export function requireText(input: OperationInput, name: string): string {
  const value = optionalText(input, name);
  if (!value) throw validationError(`1 validation error detected: Value at '${name}' must not be null or empty`);
  return value;
}

export function optionalText(input: OperationInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw validationError(`${name} must be a string`);
  return value;
}

interface ListConstraint<Schema> {
  readonly element: Schema;
  readonly min: number;
  readonly max: number;
}

/** @throws AwsError when the field is not a list, has too few or too many elements, or has a malformed element */
export function requireList<Schema extends z.ZodMiniType>(
  input: OperationInput,
  name: string,
  { element, min, max }: ListConstraint<Schema>,
): z.infer<Schema>[] {
  const value = input[name];
  if (!Array.isArray(value)) throw validationError(`1 validation error detected: Value at '${name}' must be a list`);
  const bound = value.length < min ? `greater than or equal to ${min}` : `less than or equal to ${max}`;
  if (value.length < min || value.length > max) {
    throw validationError(
      `1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must have length ${bound}`,
    );
  }
  return value.map((item) => {
    const parsed = element.safeParse(item);
    if (!parsed.success) throw new AwsError('SerializationException', `${name} has a malformed member`);
    return parsed.data;
  });
}

/** Returns the page of a list that the input asks for: at most 100 items, as on AWS. */
export function selectPage<T>(input: OperationInput, items: readonly T[]): { items: readonly T[]; next?: string } {
  const limit = input.Limit ?? 100;
  if (typeof limit !== 'number' || limit < 1 || limit > 100) throw validationError('Limit must be from 1 to 100');
  return paginate(items, limit, optionalText(input, 'NextToken'));
}
