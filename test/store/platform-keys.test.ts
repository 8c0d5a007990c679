import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropEarlierSecret, type PlatformKey, rotateKey } from '../../shared/domain/platform-key.ts';
import { changedPlatformKeyWrite, PlatformKeys } from '../../shared/store/organisation/platform-keys.ts';
import { ConditionFailedError, type TableClient } from '../../shared/store/table/table-client.ts';
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

  it('opens texts with a new secret five minutes before it seals with this secret', async () => {
    let now = new Date('2026-11-21T10:00:00Z');
    const running = new PlatformKeys(faulty.client, { now: () => now, random: randomBytes });
    const earlier = await running.of('rotated');
    const key = (await running.find('rotated')) ?? expect.unreachable();
    const secret = randomBytes(32);
    const rotated = rotateKey(key, secret.toString('base64'), now) ?? expect.unreachable();
    await faulty.client.write(changedPlatformKeyWrite('rotated', key, rotated));

    expect(await running.validOf('rotated')).toEqual({ seals: earlier, open: [earlier] });
    now = new Date('2026-11-21T10:05:00Z');
    expect(await running.validOf('rotated')).toEqual({ seals: earlier, open: [secret, earlier] });
    now = new Date('2026-11-21T10:10:00Z');
    expect(await running.validOf('rotated')).toEqual({ seals: secret, open: [secret, earlier] });
    now = new Date('2026-11-22T10:20:00Z');
    expect(await running.validOf('rotated')).toEqual({ seals: secret, open: [secret] });
  });

  it('reads a key again after the first read of it failed', async () => {
    const keys = instance();
    faulty.faults.add({ operation: 'GetItem', fault: 'Throttling', from: 1 });
    await expect(keys.of('failed')).rejects.toThrow();
    faulty.faults.clear();
    expect(await keys.of('failed')).toHaveLength(32);
  });

  it.each([
    ['is rotated', (key: PlatformKey, now: Date) => rotateKey(key, randomBytes(32).toString('base64'), now)],
    ['ends its rotation', dropEarlierSecret],
  ])('refuses the second of two parallel writes when a key %s', async (purpose, change) => {
    const keys = instance();
    const now = new Date('2026-11-21T10:00:00Z');
    await keys.of(purpose);
    const made = (await keys.find(purpose)) ?? expect.unreachable();
    const first = rotateKey(made, randomBytes(32).toString('base64'), now) ?? expect.unreachable();
    const isRetired = change === dropEarlierSecret;
    if (isRetired) await faulty.client.write(changedPlatformKeyWrite(purpose, made, first));
    const before = isRetired ? first : made;
    const changed = change(before, now) ?? expect.unreachable();
    await faulty.client.write(changedPlatformKeyWrite(purpose, before, changed));

    const other = change(before, now) ?? expect.unreachable();
    await expect(faulty.client.write(changedPlatformKeyWrite(purpose, before, other))).rejects.toThrow(
      ConditionFailedError,
    );
    expect(await keys.find(purpose)).toEqual(changed);
  });
});
