import { maximumCount } from '../contracts/limits.ts';

/**
 * Returns a function that stores its recent results. An event is evaluated under every campaign and limit, so
 * the same few instants and time zones occur again and again.
 *
 * @param compute returns the same result for the same text; its errors are not stored
 */
export function memoize<Value>(compute: (text: string) => Value): (text: string) => Value {
  const cache = new Map<string, Value>();
  return (text) => {
    const found = cache.get(text);
    if (found !== undefined) return found;
    if (cache.size >= maximumCount.memoizedResults) cache.clear();
    const value = compute(text);
    cache.set(text, value);
    return value;
  };
}

/** Makes a value at the first call, and returns the same value at every later call. A failure is not stored. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
