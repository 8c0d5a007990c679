import type { Platform } from '../../../shared/runtime/platform.ts';
import type { Write } from '../../../shared/store/table/items.ts';

/** Something that is made and not written yet: who writes it may write more in the same transaction. */
export interface Change<Made> {
  readonly made: Made;
  readonly writes: readonly Write[];
}

/** Writes a change, all of it or nothing, and gives what was made. */
export async function carryOut<Made>(
  { table }: Pick<Platform, 'table'>,
  { made, writes }: Change<Made>,
): Promise<Made> {
  await table.transact(writes);
  return made;
}
