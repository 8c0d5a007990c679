/** A copy as DynamoDB stores a value: without fields that are undefined. Nobody can change it: snapshots share it. */
export function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.filter((entry) => entry !== undefined).map(copyOf));
  if (value instanceof Set) return new Set(value);
  if (value instanceof Uint8Array) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[name];
    if (field !== undefined) copy[name] = copyOf(field);
  }
  return Object.freeze(copy);
}
