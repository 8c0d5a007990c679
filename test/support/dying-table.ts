import type { Author } from '../../shared/operations/write-audited.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import type { TableClient } from '../../shared/store/table/table-client.ts';
import { reconcile } from './reconcile.ts';
import type { World } from './world.ts';

/** Thrown by a dying table after its process has died. */
class KilledError extends Error {
  override readonly name = 'KilledError';
}

const writing: ReadonlySet<string | symbol> = new Set(['write', 'writeAll', 'writeBatch', 'transact']);

/** A table that makes as many writes as `writes` says. At the next write its process dies, and all later calls fail. */
function dyingTable(table: TableClient, writes: number): TableClient {
  let done = 0;
  return new Proxy(table, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        if (done > writes || (done === writes && writing.has(name))) {
          done = writes + 1;
          throw new KilledError();
        }
        const result: unknown = await member.apply(target, args);
        if (writing.has(name)) done += 1;
        return result;
      };
    },
  });
}

/**
 * Runs an operator's work again and again until one run completes. A run that begins a second write dies, so each run
 * adds at most one write. Collects the faults of the books after each run.
 */
export async function runUntilDone(
  { table }: Pick<World, 'table'>,
  work: (deps: Platform & { readonly author: Author }) => Promise<unknown>,
): Promise<{ readonly runs: number; readonly faults: readonly string[] }> {
  const author = { operator: async () => 'grace@desk', actor: null, command: 'killed' };
  const faults: string[] = [];
  for (let runs = 1; ; runs += 1) {
    const platform = composePlatform(readConfig(process.env), { table: dyingTable(table.client, 1) });
    const isDone = await work({ ...platform, author }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof KilledError) return false;
        throw error;
      },
    );
    faults.push(...(await reconcile(table)));
    if (isDone) return { runs, faults };
  }
}
