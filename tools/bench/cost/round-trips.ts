/** When a call was under way, on any one clock. */
export interface Interval {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * How many round trips one after the other the calls take: the length of the longest chain in which each
 * call starts after the one before it has ended. Calls that overlap are on the way together.
 */
export function roundTrips(calls: readonly Interval[]): number {
  let trips = 0;
  let freeAt = Number.NEGATIVE_INFINITY;
  // Whoever ends first leaves most room for others: the greedy chain is the longest.
  for (const { startedAt, endedAt } of calls.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (startedAt < freeAt) continue;
    trips += 1;
    freeAt = endedAt;
  }
  return trips;
}
