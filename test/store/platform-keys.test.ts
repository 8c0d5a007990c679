import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformKeys } from '../../shared/store/organisation/platform-keys.ts';
import type { TableClient } from '../../shared/store/table/table-client.ts';
import { type FaultyTable, lostAnswer, makeFaultyTable } from '../support/faulty-table.ts';

let faulty: FaultyTable;
beforeAll(async () => {
  faulty = await makeFaultyTable();
});
afterAll(() => faulty.stop());

const instance = (table: TableClient = faulty.client) =>
  new PlatformKeys(table, { now: () => new Date('2026-11-21T10:00:00Z'), random: randomBytes });

describe('PlatformKeys', () => {
  it('creates a key once when several first requests are parallel', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => instance().of('race')));

    expect(found[0]).toHaveLength(32);
    expect(new Set(found.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(await instance().of('race')).toEqual(found[0]);
    expect(await instance().of('another')).not.toEqual(found[0]);
  });

  it('reads a key from the table once, and from memory afterwards', async () => {
    const keys = instance();
    await keys.of('read once');
    const before = faulty.calls.length;
    await Promise.all([keys.of('read once'), keys.of('read once')]);
    expect(faulty.calls.length).toBe(before);
  });

  it('returns the written key when the reply to the write is lost', async () => {
    faulty.faults.add({ operation: 'PutItem', ...lostAnswer, nth: 1 });
    const key = await instance().of('lost');
    expect(await instance().of('lost')).toEqual(key);
  });

  it('makes a new key after the item was deleted, but running instances keep the old key until they restart', async () => {
    const running = instance();
    const before = await running.of('rotated');
    await faulty.client.write({ kind: 'delete', key: { pk: 'PLATFORM_KEY#rotated', sk: 'KEY' } });
    const after = await instance().of('rotated');

    expect(after).not.toEqual(before);
    expect(await running.of('rotated')).toEqual(before);
    expect(await instance().of('rotated')).toEqual(after);
  });
});
