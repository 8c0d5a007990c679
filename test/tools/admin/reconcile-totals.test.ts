import { beforeEach, expect, it } from 'vitest';
import { retentionMs } from '../../../shared/contracts/limits.ts';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import { noTotals } from '../../../shared/domain/ledger/totals.ts';
import { repairTotals } from '../../../shared/operations/reconcile/repair-totals.ts';
import { ledgerEntryName, ledgerWrite } from '../../../shared/store/ledger/ledger.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { membershipKey } from '../../../shared/store/member/members.ts';
import { readAll } from '../../../tools/admin/reconcile/read-books.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

/** `reconcile` compares the totals of campaigns and partnerships with the ledger. */

let world: World;
let admin: ReturnType<typeof commandLineOf>;
let counter: TotalsCounter;
let entries: LedgerEntry[];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const ada = () => world.demo.members[0]?.id ?? 0;
const ago = (milliseconds: number) => new Date(world.platform.now().getTime() - milliseconds).toISOString();

/** An entry of the earn campaign, without a transaction. */
function entry(points: number, createdAt: string): LedgerEntry {
  const { uuid, id } = world.platform.nextIds();
  return {
    ...{ userId: ada(), partnerId: world.demo.partner.id, transactionId: id, transactionUuid: uuid },
    campaign: { id: world.demo.campaigns.earn, partnershipUuid: world.demo.partnership.uuid },
    kind: 'EARN',
    points,
    cashbackCents: 0,
    createdAt,
  };
}

async function totalsOfEarn() {
  const found = await world.platform.campaigns.partnership(world.demo.partnership.uuid);
  return found?.campaigns.find(({ campaign }) => campaign.id === world.demo.campaigns.earn)?.totals;
}

/** Writes entries and adds their points to the balance. */
async function enter(...added: LedgerEntry[]): Promise<void> {
  const points = added.reduce((sum, one) => sum + one.points, 0);
  await Promise.all(added.map((one) => world.platform.table.write(ledgerWrite(one))));
  await world.platform.table.write({
    kind: 'update',
    key: membershipKey(ada(), world.demo.partner.id),
    changes: { add: { availablePoints: points, totalEarnedPoints: points } },
  });
}

/** Counts the ledger entries of the last day, like the consumer of the stream. A stream stores records for a day. */
async function countAll(): Promise<void> {
  const all = await world.platform.ledger.entriesOf(ada(), world.demo.partner.id);
  await counter.count(
    all.filter(({ createdAt }) => createdAt > ago(dayMs)),
    world.platform.now(),
  );
}

beforeEach(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
  counter = new TotalsCounter(world.platform.table);
  // The first entry was counted long ago, the second one recently. The third one is still in the stream.
  entries = [entry(100, ago(10 * dayMs)), entry(20, ago(60 * minuteMs)), entry(3, ago(1000))];
  await enter(...entries);
  await counter.count(entries.slice(0, 2), world.platform.now());
  // Marks of counted entries expire after some days.
  const [old] = entries;
  if (old)
    await world.platform.table.write({ kind: 'delete', key: { pk: `COUNTED#${ledgerEntryName(old)}`, sk: 'COUNTED' } });
});

it('reconcile reports no difference in totals while the stream still has to count recent entries', async () => {
  const { json } = await admin.script('reconcile');

  // The entries of this test have no transaction. `reconcile` does not report that as a difference.
  expect(json.differences).toEqual([]);
  expect(json.compared).toMatchObject({ entries: 4, totals: 1 });
});

it('reconcile reports a difference when an old entry was not counted', async () => {
  await enter(entry(7, ago(30 * minuteMs)));
  const { status, json } = await admin.script('reconcile');

  expect(status).toBe(1);
  expect(json.differences).toEqual([
    { subject: 'the ledger', what: 'entries that are not in any totals yet', found: 1, expected: 0 },
  ]);
});

it('reconcile --repair corrects totals that are missing, too low or too high', async () => {
  const { uuid } = world.demo.partnership;
  const id = String(world.demo.campaigns.earn).padStart(16, '0');
  const campaign = { pk: `PARTNERSHIP#${uuid}`, sk: `TOTALS#CAMPAIGN#${id}#2` };
  const add = { earnedPoints: 1_000, redeemedPoints: 0, transactions: 0 };
  await world.platform.table.write({ kind: 'update', key: campaign, changes: { add } });
  const found = await admin.script('reconcile');
  expect(found.status).toBe(1);
  expect(found.json.differences).toContainEqual({
    subject: `campaign ${world.demo.campaigns.earn} of partnership ${uuid}`,
    what: 'points earned and ledger',
    found: 1_120,
    expected: 120,
  });

  const declined = await admin.person(() => 'n', 'reconcile --repair');
  expect(declined.status).toBe(1);
  expect(await totalsOfEarn()).toMatchObject({ earnedPoints: 1_120 });

  const repaired = await admin.script('reconcile --repair');
  expect(repaired).toMatchObject({ status: 0, json: { differences: [] } });
  // The repair has counted the last entry, so the stream's consumer does not count it again.
  await countAll();
  expect(await totalsOfEarn()).toEqual({ ...noTotals, earnedPoints: 123, transactions: 3 });
  const audit = (await admin.script('audit list')).json.entries.map(({ what }: { what: string }) => what);
  expect(audit).toContainEqual(
    expect.stringMatching(/^corrected the totals of campaign \d+ .* by -1000 points earned/),
  );
});

it('reconcile --repair changes nothing while an entry of the ledger cannot be read', async () => {
  const before = await totalsOfEarn();
  const { pk, sk, kind } = await world.platform.table
    .query({ partition: `LEDGER#${world.demo.members[0]?.id}#${world.demo.partner.id}` })
    .then(([first]) => first ?? expect.unreachable());
  await world.platform.table.write({ kind: 'update', key: { pk, sk }, changes: { set: { kind: 'LOST' } } });
  const { status, err } = await admin.script('reconcile --repair');

  expect(status).toBe(1);
  expect(err).toContain(`${pk} ${sk} (kind: invalid_value)`);
  expect(await totalsOfEarn()).toEqual(before);
  await world.platform.table.write({ kind: 'update', key: { pk, sk }, changes: { set: { kind } } });
  expect((await admin.script('reconcile --repair')).status).toBe(0);
});

it('reconcile --repair marks an entry with the time of the repair', async () => {
  const late = entry(7, ago(30 * minuteMs));
  await enter(late);
  // The daily reconciliation compares this time with the time when it read the counters: did they contain the entry?
  const readAt = { from: ago(20 * minuteMs), to: ago(20 * minuteMs) };
  const read = async () => ({ ...(await readAll(world.platform, world.table)), readAt });
  const author = { operator: async () => 'somebody', actor: null, command: 'reconcile' };
  await repairTotals({ read }, { ...world.platform, author });

  const key = { pk: `COUNTED#${ledgerEntryName(late)}`, sk: 'COUNTED' };
  const mark = await world.platform.table.get(key);
  const countedAt = Number(mark?.ttl) * 1000 - retentionMs.countedLedgerEntry;
  expect(Math.abs(countedAt - Date.now())).toBeLessThan(minuteMs);
});

it('reconcile --repair corrects totals even while the stream counts entries', async () => {
  const more = Array.from({ length: 60 }, (_, index) => entry(index + 1, ago(10 * minuteMs)));
  await enter(...more);
  const id = String(world.demo.campaigns.earn).padStart(16, '0');
  const key = { pk: `PARTNERSHIP#${world.demo.partnership.uuid}`, sk: `TOTALS#CAMPAIGN#${id}#0` };
  const add = { earnedPoints: -50, redeemedPoints: 9, transactions: 4 };
  await world.platform.table.write({ kind: 'update', key, changes: { add } });

  const stream = (async () => {
    for (const one of more) await counter.count([one], world.platform.now());
  })();
  const repairs = [await admin.script('reconcile --repair'), await admin.script('reconcile --repair')];
  await stream;
  await countAll();
  const last = await admin.script('reconcile --repair');
  expect(last).toMatchObject({ status: 0, err: '' });

  for (const { err } of repairs) expect(err).toMatch(/^$|moved meanwhile/);
  const points = 123 + more.reduce((sum, { points: next }) => sum + next, 0);
  const expected = { ...noTotals, earnedPoints: points, transactions: 63 };
  expect(await totalsOfEarn()).toEqual(expected);
  const found = await world.platform.campaigns.partnership(world.demo.partnership.uuid);
  expect(found?.totals).toEqual(expected);
});
