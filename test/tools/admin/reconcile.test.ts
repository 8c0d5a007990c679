import { describe, expect, it } from 'vitest';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { membershipKey, usageWrite } from '../../../shared/store/member/members.ts';
import type { Key } from '../../../shared/store/table/table-client.ts';
import { confirm } from '../../support/finalize.ts';
import { createTransaction, issueToken } from '../../support/story.ts';
import { admin, useWorld, world } from './admin-world.ts';

useWorld();

const ada = () => world.demo.members[0]?.id ?? 0;

/** Makes a purchase, which the program confirms. */
async function buy(what: 'earn' | 'redeem', amount: number): Promise<void> {
  const { platform, demo } = world;
  const transaction = await createTransaction(world, { campaignId: demo.campaigns[what], amount });
  await confirm(transaction, platform);
}

/** Changes the numbers of the member's account without a ledger entry. */
async function tamper(add: Readonly<Record<string, number>>): Promise<void> {
  const key = membershipKey(ada(), world.demo.partner.id);
  await world.platform.table.write({ kind: 'update', key, changes: { add } });
}

/** Adds all ledger entries of the member to the totals, as the consumer count-changes does. */
async function countAll(): Promise<void> {
  const { platform, demo } = world;
  await new TotalsCounter(platform.table).count(
    await platform.ledger.entriesOf(ada(), demo.partner.id),
    platform.now(),
  );
}

describe('the command reconcile', () => {
  it('reports no difference when the table is consistent', async () => {
    await buy('earn', 42.5);
    await buy('redeem', 15);
    await issueToken(world, 'reserved', { campaignId: world.demo.campaigns.redeem, amount: 3 });
    await createTransaction(world, { campaignId: world.demo.campaigns.redeem, amount: 4 });
    await countAll();
    const { status, json } = await admin.script('reconcile');

    expect(json).toEqual({
      compared: { accounts: 1, transactions: 4, claims: 4, entries: 3, limits: 0, purchases: 0, totals: 2 },
      differences: [],
      pending: [],
      deadLetters: null,
      notCompared: [],
    });
    expect(status).toBe(0);
    const { out } = await admin.read('reconcile');
    expect(out).toBe(
      'Compared: 1 accounts, 4 transactions, 4 claims, 3 entries, 0 limits, 0 purchases, 2 totals.\n\nEverything is consistent.\n\nThe dead-letter queues were not read.\n',
    );
  });

  it.each<[string, Record<string, number>, string, number]>([
    ['available points', { availablePoints: 5 }, 'balance and ledger', 5],
    ['held points', { availablePoints: -300, heldPoints: 300 }, 'held points and reservations', 300],
    ['owed points', { owedPoints: 9 }, 'owed points and shortfalls', 9],
    ['earned totals', { totalEarnedPoints: 7 }, 'total earned and ledger', 7],
    ['cashback', { cashbackCents: 3 }, 'cashback and ledger (cents)', 3],
  ])('reports a difference and ends with status 1 when an account has wrong %s', async (_, gap, what, more) => {
    await tamper(gap);
    const all = await admin.script('reconcile');
    const own = await admin.script('reconcile --member cc-1001 --of "Corner Coffee"');
    const other = await admin.script('reconcile --member cc-1002 --of "Corner Coffee"');
    const { out } = await admin.read('reconcile');
    await tamper(Object.fromEntries(Object.entries(gap).map(([name, points]) => [name, -points])));

    const [difference, ...others] = all.json.differences;
    expect(difference).toMatchObject({ subject: `member ${ada()} in program 2`, what });
    expect(difference.found - difference.expected).toBe(more);
    expect(others).toEqual([]);
    expect([all.status, own.status, other.status]).toEqual([1, 1, 0]);
    expect([own.json.differences, other.json.differences]).toEqual([[difference], []]);
    expect(out).toContain('Differences');
  });

  it('reports limit usage that no reward explains', async () => {
    const owner = { userId: ada(), campaignId: world.demo.campaigns.earn };
    const now = world.platform.now();
    const period = now.toISOString().slice(0, 7);
    const charge = { ...owner, limitId: 9, period, amount: 4, most: 10 };
    // An old counter that DynamoDB has not deleted yet, although its lifetime is over. Its usage is not compared.
    const old = { ...charge, period: String(now.getUTCFullYear() - 2) };
    await world.platform.table.transact([usageWrite(charge), usageWrite(old)]);
    const { status, json } = await admin.script(`reconcile --member ${ada()}`);
    await world.platform.table.write(usageWrite({ ...charge, amount: -4 }));

    expect(status).toBe(1);
    expect(json.differences).toEqual([
      {
        subject: `limit 9 of campaign ${owner.campaignId} for member ${ada()}`,
        what: `used in ${period} and rewards`,
        found: 4,
        expected: 0,
      },
    ]);
    expect((await admin.script(`reconcile --member ${ada()}`)).status).toBe(0);
  });

  it('reports no difference for transactions that change while it reads them', async () => {
    const buying = (async () => {
      // All purchases have the same amount: a false difference would look the same in two readings, and be reported.
      for (let claim = 0; claim < 10; claim += 1) await buy(claim % 2 ? 'earn' : 'redeem', 20);
    })();
    const looks = [];
    for (let look = 0; look < 4; look += 1) looks.push(await admin.script(`reconcile --member ${ada()}`));
    await buying;

    expect(looks.map(({ status, json }) => [status, json.differences])).toEqual(looks.map(() => [0, []]));
  });

  it('reports items that it cannot read, and compares the rest', async () => {
    const { platform, demo } = world;
    const [entry] = await platform.ledger.entriesOf(ada(), demo.partner.id);
    const [entryKey, orderKey] = [
      { pk: `LEDGER#${ada()}#${demo.partner.id}`, sk: `${entry?.transactionUuid}#${entry?.kind}` },
      { pk: 'ORDER#1', sk: `ORDER#${'0'.repeat(64)}` },
    ];
    await platform.table.write({ kind: 'update', key: entryKey, changes: { set: { kind: 'LOST' } } });
    await platform.table.write({ kind: 'put', item: { ...orderKey, userId: ada() } });
    // The daily reconciliation reads neither of these two: an account that no member has linked, and a trigger event.
    const unlinked = { pk: `PROGRAM_ACCOUNT#${demo.partner.id}#unlinked`, sk: 'PROGRAM_ACCOUNT' };
    const event = { pk: 'TRIGGER_EVENT#lost', sk: 'TRIGGER_EVENT' };
    for (const key of [unlinked, event]) await platform.table.write({ kind: 'put', item: key });
    const [all, own] = [await admin.script('reconcile --yes'), await admin.script(`reconcile --member ${ada()}`)];
    await platform.table.write({ kind: 'update', key: entryKey, changes: { set: { kind: entry?.kind } } });
    for (const key of [orderKey, unlinked, event]) await platform.table.write({ kind: 'delete', key });

    const unreadable = (key: Key) => ({ subject: `item ${key.pk} ${key.sk}`, what: 'attributes and schema' });
    for (const { json, status } of [all, own]) {
      expect(status).toBe(1);
      expect(json.differences).toContainEqual(
        expect.objectContaining({ ...unreadable(entryKey), found: 'kind: invalid_value' }),
      );
      expect(json.differences).toContainEqual(expect.objectContaining(unreadable(orderKey)));
    }
    for (const key of [unlinked, event]) {
      expect(all.json.differences).toContainEqual(expect.objectContaining(unreadable(key)));
      expect(own.json.differences).not.toContainEqual(expect.objectContaining(unreadable(key)));
    }
    expect(all.json.compared.accounts).toBe(1);
  });

  it('reports an account without its name, which the daily reconciliation does not read', async () => {
    const key = membershipKey(ada(), world.demo.partner.id);
    const account = (await world.platform.table.get(key)) ?? expect.unreachable();
    const { firstName: _, ...damaged } = account;
    await world.platform.table.write({ kind: 'put', item: { ...damaged, ...key } });
    const { json } = await admin.script('reconcile');
    await world.platform.table.write({ kind: 'put', item: account });

    expect(json.differences).toContainEqual(
      expect.objectContaining({ subject: `item ${key.pk} ${key.sk}`, found: 'firstName: invalid_type' }),
    );
  });
});
