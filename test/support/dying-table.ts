import type { TableClient } from '../../shared/store/table/table-client.ts';

/** The process of a dying table is dead. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

const writing: ReadonlySet<string | symbol> = new Set(['write', 'writeAll', 'writeBatch', 'transact']);

/** A table whose process dies before the write that follows some successful writes. Later calls fail too. */
export function dyingTable(table: TableClient, writes: number): TableClient {
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
