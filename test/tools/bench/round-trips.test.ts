import { describe, expect, it } from 'vitest';
import { roundTrips } from '../../../tools/bench/cost/bench.ts';

const calls = (...intervals: [startedAt: number, endedAt: number][]) =>
  intervals.map(([startedAt, endedAt]) => ({ startedAt, endedAt }));

describe('round trips one after the other', () => {
  it.each([
    ['none without calls', calls(), 0],
    ['each call that waits for the one before it', calls([0, 2], [2, 4], [5, 6]), 3],
    ['one for calls that are sent together', calls([0, 3], [1, 4], [2, 5]), 1],
    ['the longer of two chains side by side', calls([0, 2], [3, 5], [1, 6]), 2],
    ['calls that only a third one overlaps are two', calls([0, 2], [1, 5], [4, 6]), 2],
    ['the order of reporting does not matter', calls([5, 6], [0, 2], [2, 4]), 3],
  ])('%s', (_, made, expected) => {
    expect(roundTrips(made)).toBe(expected);
  });
});
