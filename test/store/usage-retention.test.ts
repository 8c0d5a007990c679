import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { spendOfClaim } from '../../shared/domain/purchase/purchase.ts';
import { findMismatches } from '../../shared/domain/reconciliation/invariants.ts';
import { Members } from '../../shared/store/member/members.ts';
import { SpendCounter } from '../../shared/store/member/spend.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { readBooks } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account } from './account.ts';

/** The campaign allows two events a day and 700 points a week. Noon is on a Sunday. */
let table: TestTable;
let account: Account;
beforeAll(async () => {
  table = await makeTestTable();
});
beforeEach(async () => {
  account = await Account.open(table, 0);
});

const dayMs = 86_400_000;
const sunday = new Date('2026-03-08T16:00:00.000Z');
const [day, week] = ['2026-03-08', '2026-W10'];
/**
 * Both periods end when 9 March begins. Charges can be returned to them until 12 April begins. Their counters may be
 * deleted from 13 April on.
 */
const lastRetained = new Date('2026-04-11T23:59:59.999Z');
const pastRetention = new Date('2026-04-12T00:00:00.000Z');
const deletable = new Date('2026-04-13T00:00:00.000Z');

/** Makes a pending award at an instant. */
async function awarded(externalTransactionId: string, points: number, now: Date): Promise<RewardTransaction> {
  const order = { campaign: 'limitedEarn' as const, externalTransactionId, points };
  const decided = await account.decide(order, undefined, now);
  if ('refused' in decided) throw new Error(decided.refused);
  await account.transactions.reserve(decided, account.context(now));
  await account.transactions.create(decided.claim, account.context(now));
  const found = await account.transactions.find(decided.transactions[0]?.id ?? 0);
  if (!found) throw new Error('there is no transaction');
  return found;
}

const reject = (transaction: RewardTransaction, now: Date) => account.fail(transaction, 'account closed', now);

async function counters(): Promise<Item[]> {
  const pk = `USER#${account.member.user.id}`;
  return (await table.client.query({ partition: pk })).filter(({ sk }) => sk.startsWith('USAGE#'));
}

async function used(): Promise<Record<string, number>> {
  const { usage = [] } = (await new Members(table.client).find(account.member.user.id)) ?? {};
  return Object.fromEntries(usage.map((one) => [one.period, one.used]));
}

/** Deletes the counters that DynamoDB may delete at an instant. */
async function deleteExpired(now: Date): Promise<void> {
  for (const { pk, sk, ttl } of await counters()) {
    if (Number(ttl) * 1000 <= now.getTime()) await table.client.write({ kind: 'delete', key: { pk, sk } });
  }
}

/** The mismatches that reconciliation reports for the member. */
async function mismatches(now: Date): Promise<string[]> {
  const { claims } = await readBooks(table);
  // The stream counts spent claims.
  await new SpendCounter(table.client).count(claims.flatMap((claim) => spendOfClaim(claim) ?? []));
  const own = findMismatches(await readBooks(table), now).filter(({ userId }) => userId === account.member.user.id);
  return own.map(({ what }) => what);
}

describe('the usage counter of a limit', () => {
  const ttls = async () => Object.fromEntries((await counters()).map(({ period, ttl }) => [period, ttl]));
  const expected = { [day]: deletable.getTime() / 1000, [week]: deletable.getTime() / 1000 };

  it('may be deleted 35 days after its period', async () => {
    await awarded('early', 100, new Date('2026-03-08T05:00:00.000Z'));
    expect(await ttls()).toEqual(expected);
    await awarded('late', 100, new Date('2026-03-09T03:59:59.999Z'));
    expect(await ttls()).toEqual(expected);
  });

  it('keeps its deletion time when a charge is returned', async () => {
    const transaction = await awarded('given back', 100, sunday);
    await reject(transaction, lastRetained);
    expect(await ttls()).toEqual(expected);
  });

  it('is never deleted when its period is a lifetime', async () => {
    account = await Account.open(table, 500);
    await account.pending({ campaign: 'limitedRedeem', externalTransactionId: 'paid', points: 100 });
    expect(await counters()).toEqual([expect.not.objectContaining({ ttl: expect.anything() })]);
  });
});

describe('a returned charge', () => {
  it('lowers the counter if it is returned before the counter’s retention ends', async () => {
    const transaction = await awarded('in time', 300, sunday);
    expect(await reject(transaction, lastRetained)).toBe(true);
    await deleteExpired(lastRetained);
    expect(await used()).toEqual({ [day]: 0, [week]: 0 });
    expect(await mismatches(lastRetained)).toEqual([]);
  });

  it.each([
    ['still exists', pastRetention, { [day]: 1, [week]: 300 }],
    ['is deleted', deletable, {}],
  ])('is dropped when the counter is past its retention and %s', async (counter, now, left) => {
    const transaction = await awarded(`too late, ${counter}`, 300, sunday);
    await deleteExpired(now);
    expect(await reject(transaction, now)).toBe(true);
    expect(await account.transactions.find(transaction.id)).toMatchObject({ state: 'FAILED' });
    expect(await used()).toEqual(left);
    expect(await mismatches(now)).toEqual([]);
    // At an instant before the end of the retention, every counter that still exists is a mismatch: it contains the
    // dropped charge.
    expect(await mismatches(lastRetained)).toHaveLength(Object.keys(left).length);
  });

  it('always lowers the counter when the period is a lifetime', async () => {
    account = await Account.open(table, 500);
    const [transaction] = await account.pending({
      campaign: 'limitedRedeem',
      externalTransactionId: 'refused',
      points: 100,
    });
    if (!transaction) throw new Error('nothing was paid');
    expect(await used()).toEqual({ LIFETIME: 100 });
    await reject(transaction, new Date('2046-03-08T16:00:00.000Z'));
    expect(await used()).toEqual({ LIFETIME: 0 });
  });
});

describe('an event that is 14 days late', () => {
  it('counts in the period in which it happened', async () => {
    await awarded('first', 600, sunday);
    await deleteExpired(new Date(sunday.getTime() + 15 * dayMs));
    expect(await awarded('second', 600, sunday)).toMatchObject({ points: 100 });
    expect(await used()).toEqual({ [day]: 2, [week]: 700 });
  });
});

/** A consistent read of this many bytes costs a read unit. */
const readUnitBytes = 4_096;

/** The size of an item in DynamoDB, or a little more: numbers need fewer bytes there. */
const bytesOf = (item: Item) =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(String(value)), 0);

describe('a member with a year of limit usage', () => {
  it('is read with two read units', async () => {
    const last = sunday.getTime() + 365 * dayMs;
    for (let time = sunday.getTime(); time <= last; time += dayMs) {
      const decided = account.reservation(
        { campaign: 'limitedEarn', externalTransactionId: `order-${time}`, points: 10 },
        new Date(time),
      );
      await account.transactions.reserve(decided, account.context(new Date(time)));
    }
    await deleteExpired(new Date(last));

    // The last 36 days, and their weeks.
    expect((await counters()).length).toBeLessThanOrEqual(36 + 7);
    const items = await table.client.query({ partition: `USER#${account.member.user.id}` });
    expect(items.reduce((sum, item) => sum + bytesOf(item), 0)).toBeLessThanOrEqual(2 * readUnitBytes);
  });
});
