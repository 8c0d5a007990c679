import { describe, expect, it } from 'vitest';
import { percentile } from '../../../tools/bench/report.ts';

describe('percentile()', () => {
  const hundred = Array.from({ length: 100 }, (_, nth) => nth + 1);

  it.each([
    [hundred, 0.5, 50],
    [hundred, 0.99, 99],
    [hundred, 1, 100],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4], 0.99, 4],
    [[7], 0.01, 7],
  ])('returns the value at or below which the given share of values lies', (sorted, share, expected) => {
    expect(percentile(sorted, share)).toBe(expected);
  });

  it('is NaN without values', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});
