import { validationError } from '../../aws-service/aws-error.ts';
import type { EventBus } from '../bus.ts';

/** An operation's input as it came over the wire: nothing in it has been checked. */
export type OperationInput = Readonly<Record<string, unknown>>;

/** One operation of the API: what it answers for an input, or an AwsError. */
export type Operation = (bus: EventBus, input: OperationInput) => object;

/** A required text member. */
export function requiredText(input: OperationInput, name: string): string {
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

/** A required list member within its bounds. */
export function requiredList<T>(input: OperationInput, name: string, { min, max }: { min: number; max: number }): T[] {
  const value = input[name];
  if (!Array.isArray(value)) throw validationError(`1 validation error detected: Value at '${name}' must be a list`);
  const bound = value.length < min ? `greater than or equal to ${min}` : `less than or equal to ${max}`;
  if (value.length < min || value.length > max) {
    throw validationError(
      `1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must have length ${bound}`,
    );
  }
  return value as T[];
}

/** The size of a page asked for, at most a hundred as on AWS. */
export function pageSize(input: OperationInput): number {
  const limit = input.Limit ?? 100;
  if (typeof limit !== 'number' || limit < 1 || limit > 100) throw validationError('Limit must be from 1 to 100');
  return limit;
}
