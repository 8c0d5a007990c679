/** A time zone: the mapping between instants and the times its clocks show, both in milliseconds. */
export interface Zone {
  /** What the clocks show at an instant, written as if it were UTC. */
  wallTime(instantMs: number): number;
  /** The first instant at which the clocks show a time; undefined for a time they skip in spring. */
  instant(wallMs: number): number | undefined;
}

const DAY_MS = 86_400_000;

/** @throws RangeError when the name is not an IANA time zone */
export function createZone(name: string): Zone {
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

  const wallTime = (instantMs: number): number => {
    const part = Object.fromEntries(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute, second } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instantMs % 1000) + 1000) % 1000);
  };

  return {
    wallTime,
    instant(wallMs) {
      // A change of offset lies at most once within a day, so the offsets on both sides are all there can be.
      const offsets = [wallMs - DAY_MS, wallMs + DAY_MS].map((nearbyMs) => wallTime(nearbyMs) - nearbyMs);
      const instants = offsets.map((offset) => wallMs - offset).filter((instantMs) => wallTime(instantMs) === wallMs);
      return instants.length === 0 ? undefined : Math.min(...instants);
    },
  };
}
