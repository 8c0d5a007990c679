import { beforeAll, describe, expect, it } from 'vitest';
import { Sequences } from '../../shared/store/organisation/sequences.ts';
import { makeTestTable } from '../support/test-table.ts';

let sequences: Sequences;
beforeAll(async () => {
  sequences = new Sequences((await makeTestTable({ onDynamoDb: true })).client);
});

describe('lease()', () => {
  it('returns blocks of consecutive numbers that begin with 1', async () => {
    expect(await sequences.lease('fresh', 1)).toBe(1);
    expect(await sequences.lease('fresh', 10)).toBe(2);
    expect(await sequences.lease('fresh', 1)).toBe(12);
    expect(await sequences.lease('another', 1)).toBe(1);
  });

  it('returns each number once to parallel callers', async () => {
    const counts = Array.from({ length: 30 }, (_, position) => 1 + (position % 7));

    const firsts = await Promise.all(counts.map((count) => sequences.lease('busy', count)));

    const numbers = firsts.flatMap((first, position) =>
      Array.from({ length: counts[position] ?? 0 }, (_, offset) => first + offset),
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });
});

describe('the position of a sweep', () => {
  it('is unknown at first, and later the value that was set last', async () => {
    expect(await sequences.sweptTo('sweep')).toBeUndefined();

    await sequences.setSweptTo('sweep', '2026-03-08T12:00');
    await sequences.setSweptTo('sweep', '2026-03-08T12:01');

    expect(await sequences.sweptTo('sweep')).toBe('2026-03-08T12:01');
  });
});
