import { maximumCount } from '../contracts/limits.ts';
/**
 * Stores the results of a function for recent arguments. An event is evaluated under every campaign and limit, so
 * the same few instants and time zones occur again and again.
 *
 * @param of returns the same result for the same text; its errors are not stored
 */
export function memoize<Value>(of: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= maximumCount.memoizedResults) known.clear();
    const made = of(text);
    known.set(text, made);
    return made;
  };
}

/** Makes a value when it is first asked for, and returns the same one from then on. A failure is not stored. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
