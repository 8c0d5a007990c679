import { describe, expect, it } from 'vitest';
import { maximumCount } from '../../shared/contracts/limits.ts';
import { cache } from '../../shared/domain/memoize.ts';

/**
 * A cache with a maximum age of one second, and a clock to set. Load n returns entry n - 1 of `answers`, or the number
 * n when there is no such entry.
 */
function makeCache() {
  const world = { nowMs: 0, loads: [] as string[], answers: [] as (Promise<number | undefined> | undefined)[] };
  const find = cache(
    (key: string): Promise<number | undefined> => {
      world.loads.push(key);
      const number = world.loads.length;
      return number - 1 in world.answers
        ? (world.answers[number - 1] ?? Promise.resolve(undefined))
        : Promise.resolve(number);
    },
    { maximumAgeMs: 1_000, now: () => new Date(world.nowMs) },
  );
  return { world, find };
}

describe('cache()', () => {
  it('loads a value again only when it has reached its maximum age', async () => {
    const { world, find } = makeCache();

    expect(await find('a')).toBe(1);
    world.nowMs = 999;
    expect(await find('a')).toBe(1);
    world.nowMs = 1_000;
    expect(await find('a')).toBe(2);
  });

  it('counts the age of a value from the start of its load', async () => {
    const { world, find } = makeCache();
    const slow = Promise.withResolvers<number>();
    world.answers[0] = slow.promise;

    const first = find('a');
    world.nowMs = 900;
    slow.resolve(7);
    expect(await first).toBe(7);
    world.nowMs = 1_000;
    expect(await find('a')).toBe(2);
  });

  it('loads at once while another load of the key never ends', async () => {
    const { world, find } = makeCache();
    world.answers[0] = new Promise(() => {});

    void find('a');
    expect(await find('a')).toBe(2);
    expect(await find('a')).toBe(2);
  });

  it('does not keep the error of a load', async () => {
    const { world, find } = makeCache();
    world.answers[0] = Promise.reject(new Error('the table does not answer'));

    await expect(find('a')).rejects.toThrow('does not answer');
    expect(await find('a')).toBe(2);
  });

  it('loads again after a load that found no value', async () => {
    const { world, find } = makeCache();
    world.answers[0] = undefined;

    expect(await find('a')).toBeUndefined();
    expect(await find('a')).toBe(2);
  });

  it('removes the oldest value when it stores more values than the maximum', async () => {
    const { world, find } = makeCache();
    const keys = Array.from({ length: maximumCount.memoizedResults }, (_, number) => `key ${number}`);
    for (const key of keys) await find(key);

    await find('one more');
    world.loads.length = 0;
    for (const key of [...keys.slice(1), 'one more']) await find(key);
    expect(world.loads).toEqual([]);
    await find('key 0');
    expect(world.loads).toEqual(['key 0']);
  });
});
