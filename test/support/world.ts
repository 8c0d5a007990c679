import type { Sources } from '../../shared/operations/operation.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { makeDemoWorld } from '../../tools/admin/demo/world.ts';
import { setEnvironment } from './environment.ts';
import { makeTestTable, type TableOptions, type TestTable } from './test-table.ts';

/** A table with the demonstration's world, and a platform on it. */
export interface World {
  readonly table: TestTable;
  readonly platform: Platform;
  readonly demo: Awaited<ReturnType<typeof makeDemoWorld>>;
}

/**
 * Creates a world for one test file. Also sets the environment variables, so handlers use this world if their first
 * call is after this one.
 */
export async function makeWorld(options: TableOptions = {}): Promise<World> {
  const table = await makeTestTable(options);
  setEnvironment(table);
  const platform = composePlatform(readConfig(process.env));
  return { table, platform, demo: await makeDemoWorld(platform) };
}

/** Returns the same platform with other sources of time or randomness. */
export function withSources(world: World, sources: Partial<Sources>): Platform {
  return { ...world.platform, ...sources };
}
