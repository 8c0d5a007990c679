import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { leftOut, taken } from './deliveries.ts';
import { Soak } from './soak.ts';
import { QuickTable } from './tables.ts';

/** `SEED=17 npx vitest run --project unit test/soak` repeats one history; `npm run soak` plays more. */
const seeds = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: 12 }, (_, index) => index + 1);

/** The command that repeats a history in which a check failed. */
const replay = (seed: number) => `replay it with: SEED=${seed} npm run soak -- --trace`;

describe('random histories', () => {
  let world: Soak;
  beforeAll(() => {
    world = new Soak(new QuickTable());
  });
  afterAll(() => world.stop());

  it.each(seeds)('with seed %i lose no points and give none twice', async (seed) => {
    const { violations } = await world.run(seed);
    expect(violations, replay(seed)).toEqual([]);
  });
});

describe('the histories', () => {
  it('run every consumer that moves points', () => {
    expect([...taken, ...Object.keys(leftOut)].sort()).toEqual(consumers.map(({ name }) => name).sort());
  });
});
