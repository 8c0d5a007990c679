/** Maps between instants and the wall-clock times of a time zone, both in milliseconds. */
export interface TimeZone {
  /** Returns the wall-clock time at an instant, written as if it were UTC. */
  toWallTime(instantMs: number): number;
  /** Returns the first instant that has this wall-clock time, or undefined when the time is skipped in spring. */
  toInstant(wallMs: number): number | undefined;
}

const dayMs = 86_400_000;

/** @throws RangeError when the name is not an IANA time zone */
export function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  const toWallTime = (instantMs: number): number => {
    const part = Object.fromEntries(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute, second } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instantMs % 1000) + 1000) % 1000);
  };

  return {
    toWallTime,
    toInstant(wallMs) {
      // The offset changes at most once within a day, so the offset at this time is that of one day before or of one
      // day after.
      const offsets = [wallMs - dayMs, wallMs + dayMs].map((nearbyMs) => toWallTime(nearbyMs) - nearbyMs);
      const instants = offsets.map((offset) => wallMs - offset).filter((instantMs) => toWallTime(instantMs) === wallMs);
      return instants.length === 0 ? undefined : Math.min(...instants);
    },
  };
}
