import { beforeAll } from 'vitest';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

/** The demonstration’s world of a test file, and the operator’s commands on it. */

export let world: World;
export let admin: ReturnType<typeof commandLineOf>;

/** Creates the world before the tests of a file, and adds to it what the tests need. */
export function useWorld(addMore: () => Promise<void> | void = () => {}): void {
  beforeAll(async () => {
    world = await makeWorld();
    admin = commandLineOf(world.table);
    await addMore();
  });
}
