import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import { findOverdueWork } from '../../../shared/domain/reconciliation/pending.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { temporaryFile } from './command-line.ts';

useWorld();
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const rule = (name: 'set' | 'remove', ...more: string[]) => [
  ...['program', 'rule', name, 'Skyline Miles', '--unit', 'rewards', '--per', 'day', ...more],
];

/** Makes a purchase that earns, and runs `syncWithProgram` on its transaction. Returns the id of the transaction. */
async function buy(shopper: Shopper): Promise<number> {
  const token = await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 10, order: randomUUID() });
  const { body } = await createBy(shopper, token);
  const { id } = body.data.reward_transactions[0];
  const transaction = await world.platform.transactions.find(id);
  if (!transaction) throw new Error('there is no transaction');
  const { uuid, merchantId, partnerId, createdAt: occurredAt } = transaction;
  const event: PlatformEvent = {
    ...{ id: `event-of-${uuid}`, name: 'transaction_created', entityId: uuid, occurredAt, merchantId, partnerId },
  };
  await syncWithProgram(event, world.platform);
  return id;
}

const stateOf = async (id: number) => (await world.platform.transactions.find(id))?.state;

/** A shopper with held rewards. An earlier reward uses up what the velocity rule allows. */
async function withHeld(count: number): Promise<{ shopper: Shopper; held: number[] }> {
  const shopper = await newShopper(world);
  await buy(shopper);
  const held: number[] = [];
  for (let one = 0; one < count; one += 1) held.push(await buy(shopper));
  return { shopper, held };
}

describe('the commands program rule', () => {
  it('set, list and remove the rules of a program', async () => {
    for (const unit of ['points', 'cents']) {
      await admin.script(`program rule remove "Skyline Miles" --unit "${unit}" --per reward`);
    }
    expect((await admin.read('program rule list "Skyline Miles"')).out).toContain('has no velocity rules');
    const single = ['--unit', 'rewards', '--per', 'reward', '--most', '1'];
    expect((await admin.read('program rule set "Skyline Miles"', ...single)).err).toContain('one reward');
    const set = await admin.script(...rule('set', '--most', '1'));
    expect(set).toMatchObject({
      status: 0,
      json: { changed: true, rules: [{ unit: 'REWARDS', window: 'DAY', most: 1 }] },
    });
    expect((await admin.script(...rule('set', '--most', '1'))).json).toMatchObject({ changed: false });
    expect((await admin.read('program rule list "Skyline Miles"')).out).toContain('REWARDS_PER_DAY');
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries[0]).toMatchObject({
      command: 'program rule set',
      change: { before: { rules: [] }, after: { rules: [{ most: 1 }] } },
    });
    expect((await admin.script(...rule('remove'))).json).toMatchObject({ changed: true, rules: [] });
    expect(await admin.read(...rule('remove'))).toMatchObject({
      status: 1,
      err: expect.stringContaining('velocity rule REWARDS_PER_DAY'),
    });
    expect(await admin.read('program rule list "Corner Coffee"')).toMatchObject({ status: 1 });
  });
});

describe('the commands for held rewards', () => {
  it('are what an erasure of the member asks for', async () => {
    const { shopper, held } = await withHeld(1);
    const erase = [
      'member',
      'erase',
      String(shopper.id),
      '--reason',
      'asked',
      '--forfeit',
      '--confirm',
      String(shopper.id),
    ];
    const { status, err } = await admin.read(...erase);
    expect([status, err]).toEqual([
      1,
      expect.stringContaining(
        `transaction ${held[0]} is held for review: let it go on with transaction release ${held[0]} --reason "…", ` +
          `or end it with transaction refuse ${held[0]} --reason "…"`,
      ),
    ]);
  });

  beforeAll(async () => {
    await admin.script(...rule('set', '--most', '1'));
  });

  it('end a review and store the reason', async () => {
    const { shopper, held } = await withHeld(2);
    const [first = 0, second = 0] = held;
    const { json } = await admin.script(`transaction held --member ${shopper.id}`);
    expect(json.held).toMatchObject([
      { id: first, rules: 'REWARDS_PER_DAY', user_id: shopper.id },
      { id: second, rules: 'REWARDS_PER_DAY' },
    ]);
    const { out: why } = await admin.read(`member why ${first}`);
    expect(why).toContain('rule REWARDS_PER_DAY allows 1, and 1 were counted');
    expect(why).toContain(`transaction release ${first}`);

    const released = await admin.script(`transaction release ${first} --reason "A known guest"`);
    expect(released).toMatchObject({ status: 0, json: { transaction: first, outcome: 'RELEASED' } });
    expect(await stateOf(first)).toBe('PENDING');
    const again = await admin.read(`transaction release ${first} --reason Again`);
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('only one in HELD') });
    expect((await admin.read(`member why ${first}`)).out).toContain('released it on');

    const refused = await admin.script(`transaction refuse ${second} --reason Farmed`);
    expect(refused).toMatchObject({ status: 0, json: { outcome: 'REFUSED' } });
    expect(await stateOf(second)).toBe('FAILED');
    expect((await admin.read(`member why ${second}`)).out).toContain('refused it on');
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries[0]).toMatchObject({
      command: 'transaction refuse',
      what: expect.stringContaining('Farmed'),
      change: { before: { state: 'HELD' }, after: { state: 'FAILED' } },
    });
  });

  it('end all reviews of a member, or those that a file lists', async () => {
    const { shopper, held } = await withHeld(3);
    const csv = (await admin.read(`transaction held --member ${shopper.id} --csv`)).out;
    const file = temporaryFile('held.csv', csv.split('\n').slice(0, 3).join('\n'));
    const byFile = await admin.script(`transaction release --file ${file} --reason Known`);
    expect(byFile).toMatchObject({ status: 0, json: { changed: 2, faults: [] } });
    const repeated = await admin.script(`transaction release --file ${file} --reason Known`);
    expect(repeated).toMatchObject({ status: 0, json: { changed: 0, unchanged: 2, faults: [] } });
    const told = await admin.person(() => 'yes', `transaction release --file ${file} --reason Known`);
    expect(told.out).toBe('0 released, 2 already released before, 0 with a fault.\n');
    const refused = await admin.script(`transaction refuse --file ${file} --reason Farmed`);
    expect(refused).toMatchObject({ status: 1, json: { changed: 0, faults: [{ line: 2 }, { line: 3 }] } });

    const all = ['transaction', 'refuse', '--all', '--member', String(shopper.id), '--reason', 'Farmed'];
    const asked = await admin.person(() => 'yes', ...all);
    expect(asked.asked[0]).toContain('refuse 1 held');
    expect(await Promise.all(held.map(stateOf))).toEqual(['PENDING', 'PENDING', 'FAILED']);
  });

  it('are named in the errors of `cancel` and `retry`', async () => {
    const { held } = await withHeld(1);
    for (const name of ['cancel', 'retry']) {
      const { status, err } = await admin.read(`transaction "${name}" ${held[0]} --reason Try`);
      expect([status, err]).toEqual([1, expect.stringContaining('transaction release')]);
    }
    expect((await admin.read(`transaction reverse ${held[0]} --reason Try`)).err).toContain('is HELD');
  });

  it('are needed within a day, or `reconcile` reports the held reward as overdue', async () => {
    const { shopper, held } = await withHeld(1);
    const books = { ...(await readBooks(world.table)), pending: [] };
    const overdueIn = (hours: number) =>
      findOverdueWork(books, new Date(Date.now() + hours * 3_600_000)).filter(({ userId }) => userId === shopper.id);
    expect(overdueIn(23)).toEqual([]);
    expect(overdueIn(25)).toMatchObject([{ subject: `transaction ${held[0]}`, state: 'HELD' }]);
  });
});
