import { describe, expect, it } from 'vitest';
import { roundTrips } from '../../../tools/bench/cost/bench.ts';

const calls = (...intervals: [startedAt: number, endedAt: number][]) =>
  intervals.map(([startedAt, endedAt]) => ({ startedAt, endedAt }));

describe('the number of sequential round trips', () => {
  it.each([
    ['zero without calls', calls(), 0],
    ['one for each call that waits for the previous one', calls([0, 2], [2, 4], [5, 6]), 3],
    ['one for parallel calls', calls([0, 3], [1, 4], [2, 5]), 1],
    ['the longer of two parallel chains', calls([0, 2], [3, 5], [1, 6]), 2],
    ['two when a third call overlaps two sequential ones', calls([0, 2], [1, 5], [4, 6]), 2],
    ['the same in any order of the records', calls([5, 6], [0, 2], [2, 4]), 3],
  ])('is %s', (_, made, expected) => {
    expect(roundTrips(made)).toBe(expected);
  });
});
