/** The offset of a clock: how far its time is ahead of the machine's, in whole milliseconds. All threads share it. */
export type ClockOffset = SharedArrayBuffer;

export function createOffset(): ClockOffset {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

export function addToOffset(offset: ClockOffset, byMs: number): void {
  Atomics.add(new BigInt64Array(offset), 0, BigInt(byMs));
}

/** Returns a function that reads the shifted time, in milliseconds since the epoch. */
export function createNow(offset: ClockOffset): () => number {
  const machine = Date;
  const cell = new BigInt64Array(offset);
  return () => machine.now() + Number(Atomics.load(cell, 0));
}

/** Returns a `Date` whose present is the shifted time. Dates that it makes are instances of the machine's `Date` too. */
export function createShiftedDate(offset: ClockOffset): DateConstructor {
  const machine = Date;
  const now = createNow(offset);
  return new Proxy(machine, {
    construct: (target, parts, made) => Reflect.construct(target, parts.length === 0 ? [now()] : parts, made),
    apply: () => new machine(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Replaces the `Date` of this thread. Timers and `performance.now()` keep the machine's time. */
export function replaceDate(offset: ClockOffset): void {
  const shifted = createShiftedDate(offset);
  globalThis.Date = shifted;
  shifted.prototype.constructor = shifted;
}
