import { maximumCount } from '../contracts/limits.ts';

/**
 * Returns a function that stores its recent results. An event is evaluated under every campaign and limit, so
 * the same few instants and time zones occur again and again.
 *
 * @param compute returns the same result for the same text; its errors are not stored
 */
// @__NO_SIDE_EFFECTS__
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

/**
 * Returns a function that stores its result for each object as long as the object exists.
 *
 * @param compute its argument must not change after the first call
 */
// @__NO_SIDE_EFFECTS__
export function memoizeObject<Of extends object, Value extends object>(compute: (of: Of) => Value): (of: Of) => Value {
  const results = new WeakMap<Of, Value>();
  return (of) => {
    let found = results.get(of);
    if (found === undefined) {
      found = compute(of);
      results.set(of, found);
    }
    return found;
  };
}

/**
 * Returns a function that loads a value by its key and stores it for some time. An error or a missing value is not
 * stored. Simultaneous calls do not share a load, so a load that never ends stops no other call.
 *
 * @param load returns undefined when there is no value
 * @param maximumAgeMs how long a value is stored, from the start of its load
 */
// @__NO_SIDE_EFFECTS__
export function cache<Key, Value>(
  load: (key: Key) => Promise<Value>,
  { maximumAgeMs, now }: { readonly maximumAgeMs: number; readonly now: () => Date },
): (key: Key) => Promise<Value> {
  const stored = new Map<Key, { readonly value: Value; readonly untilMs: number }>();
  return async (key) => {
    const nowMs = now().getTime();
    const recent = stored.get(key);
    if (recent && nowMs < recent.untilMs) return recent.value;

    const value = await load(key);
    if (value === undefined) return value;
    // The first value in the map is the oldest, so a value that is loaded again goes to the end.
    stored.delete(key);
    const [oldest] = stored.size >= maximumCount.memoizedResults ? stored.keys() : [];
    if (oldest !== undefined) stored.delete(oldest);
    stored.set(key, { value, untilMs: nowMs + maximumAgeMs });
    return value;
  };
}

/** Makes a value at the first call, and returns the same value at every later call. A failure is not stored. */
// @__NO_SIDE_EFFECTS__
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
