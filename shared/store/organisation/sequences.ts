import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { defineEntity, Repository } from '../table/table-client.ts';

const Sequence = z.object({ next: z.optional(z.int()), minute: z.optional(z.string()) });

const sequences = defineEntity(Sequence, (name: string) => ({ pk: `${partitions.sequence}${name}`, sk: 'SEQUENCE' }));

/** The name under which the sweep of expired tokens stores its position. The sweep runs every minute. */
export const expirySweep = 'release-expired';

/** Counters and positions that never decrease. */
export class Sequences extends Repository {
  /**
   * Leases a block of small integer ids, for entities that are seldom made: organisations, campaigns. Every id is
   * leased at most once. Gaps are possible.
   *
   * @returns the first of `count` ids; the first block begins at 1
   */
  async lease(name: string, count: number): Promise<number> {
    const item = await this.table.write({
      kind: 'update',
      key: sequences.key(name),
      changes: { add: { next: count } },
      // A repetition leases another block.
      repetition: 'harmless',
    });
    const next = item && sequences.parse(item).next;
    if (next === undefined) throw new Error(`the sequence ${name} has no value`);
    return next - count + 1;
  }

  /** The last leased id; 0 when no id was leased. Some ids before it may be unused. */
  async last(name: string): Promise<number> {
    const item = await this.table.get(sequences.key(name));
    return (item && sequences.parse(item).next) ?? 0;
  }

  /** The minute (`2026-11-21T10:05`) before which a sweep has handled everything. */
  async sweptTo(name: string): Promise<string | undefined> {
    const item = await this.table.get(sequences.key(name));
    return item && sequences.parse(item).minute;
  }

  /**
   * The month (`2026-11`, UTC) of the last sweep. The sweep uses the platform's own clock, which no operator sets.
   * Before the first sweep, it is the month of `now`.
   */
  async platformMonth(now: Date): Promise<string> {
    return ((await this.sweptTo(expirySweep)) ?? now.toISOString()).slice(0, 'yyyy-mm'.length);
  }

  async setSweptTo(name: string, minute: string): Promise<void> {
    await this.table.write({ kind: 'update', key: sequences.key(name), changes: { set: { minute } } });
  }
}
