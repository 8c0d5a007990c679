import { validationError } from './aws-error.ts';

/** One page of a list and the token of the next, which is the position it starts at. */
export function pageOf<T>(
  items: readonly T[],
  size: number,
  token: string | undefined,
): { items: readonly T[]; next?: string } {
  const start = Number(token ?? 0);
  if (!Number.isInteger(start) || start < 0) throw validationError('NextToken is not valid');
  const end = start + size;
  return { items: items.slice(start, end), ...(end < items.length && { next: String(end) }) };
}
