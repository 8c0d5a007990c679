import { beforeEach, describe, expect, it } from 'vitest';
import { connectStory } from '../../support/connect-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { temporaryFile } from './command-line.ts';

let number: string;
let count = 0;

useWorld();
beforeEach(() => {
  number = `SKY-${++count}`;
});

const holder = ['--first-name', 'Linus', '--last-name', 'Pauling'];
const account = (command: string, ...more: string[]) =>
  admin.script(`program account ${command} "Skyline Miles"`, ...more);
const open = (...more: string[]) => account('open', number, ...holder, ...more);

const { connected, connectToken, link, exchange } = connectStory(() => ({ world, account: number }));
const customer = () => ({ user: { external_id: `cc-${number}` } });
const memberId = async () => (await account('show', number)).json.memberId as number;
const unlink = async () => admin.script(`member unlink ${await memberId()} --program "Skyline Miles"`);

/** The points of the ledger entries, with their kinds. */
async function entries(): Promise<[string, number][]> {
  const found = await world.platform.ledger.entriesOf(await memberId(), world.demo.partner.id);
  return found.map(({ kind, points }) => [kind, points]);
}

describe('the command program account open', () => {
  it('lets the holder link the account with the PIN', async () => {
    const { status, json } = await open('--tier', '2', '--points', '500', '--pin', '246802');
    expect(status).toBe(0);
    expect(json).toMatchObject({
      account: number,
      stored: { openingPoints: 500, statusTierId: 2, hasPin: true, bookedAt: null, closedAt: null },
      ...{ memberId: null, balance: null, merchantIds: [] },
    });
    expect(JSON.stringify(json)).not.toContain('pinHash');

    const { user_id } = await connected(customer());
    expect(await memberId()).toBe(user_id);
    expect(await entries()).toEqual([['OPENING', 500]]);
    expect((await account('show', number)).json).toMatchObject({
      ...{ balance: 500, statusTierId: 2, merchantIds: [world.demo.merchant.id] },
      stored: { bookedAt: expect.any(String) },
    });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('writes no name or PIN to the audit trail', async () => {
    await open('--points', '500', '--email', 'linus@example.com', '--pin', '975318');
    const [entry] = (await admin.script('audit list --limit 1')).json.entries;
    expect(entry).toMatchObject({
      command: 'program account open',
      what: `opened account ${number} of organisation ${world.demo.partner.id}`,
      change: { before: null, after: { openingPoints: 500, statusTierId: null } },
    });
    expect(JSON.stringify(entry)).not.toMatch(/Pauling|linus@|975318/);
  });

  it('opens an account without a PIN that no proof can link', async () => {
    await open();
    for (const proof of ['', '000000', 'undefined']) {
      expect((await link(await connectToken(), { proof })).status).toBe(400);
    }
  });

  it.each([
    ['an account that exists', () => open(), 'has a program account'],
    ['a PIN of five digits', () => account('open', 'SKY-X', ...holder, '--pin', '12345'), '6 digits or more'],
    ['a merchant', () => admin.script('program account open "Corner Coffee" A', ...holder), 'is a merchant'],
  ])('refuses %s', async (_, command, message) => {
    await open();
    const { status, err } = await command();
    expect(status).not.toBe(0);
    expect(err).toContain(message);
  });

  it('refuses the number of a member’s account', async () => {
    const { externalId } = await newShopper(world, 30);
    expect((await account('open', externalId, ...holder)).err).toContain(`a program account ${externalId}`);

    await open('--points', '500');
    const person = ['--first-name', 'A', '--last-name', 'B', '--email', 'a@example.com', '--merchant', '1'];
    const created = await admin.script(
      `member create --external-id ${number} --program 2 --program-id ${number}`,
      ...person,
    );
    expect(created.err).toContain(`organisation 2 (Skyline Miles) has a program account ${number} already`);
  });

  it('opens an account once when many operators try', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => open('--points', '500')));
    expect(opened.filter(({ status }) => status === 0)).toHaveLength(1);
  });
});

describe('the command program account import', () => {
  const head = 'account,first_name,last_name,email,tier,points,pin';
  const rows = (points: number) =>
    [1, 2, 3].map((nth) => `${number}-${nth},Ada,Byron,ada${nth}@example.com,2,${points},${nth === 1 ? '246802' : ''}`);
  const importFile = (lines: readonly string[], ...more: string[]) =>
    account('import', temporaryFile('accounts.csv', [head, ...lines].join('\n')), ...more);

  it('creates the accounts once, and none in a dry run', async () => {
    const counts = { created: 3, changed: 0, unchanged: 0, faults: [] };
    expect((await importFile(rows(500), '--dry-run')).json).toEqual({ dry_run: true, ...counts });
    expect((await account('show', `${number}-1`)).status).toBe(1);
    expect((await importFile(rows(500))).json).toEqual({ dry_run: false, ...counts });
    expect((await importFile(rows(500))).json).toMatchObject({ created: 0, unchanged: 3, faults: [] });
    expect((await account('show', `${number}-2`)).json.stored).toMatchObject({
      ...{ email: 'ada2@example.com', openingPoints: 500, hasPin: false },
    });
  });

  it('changes nothing when repeated after its accounts were linked', async () => {
    await importFile(rows(500));
    await connected(customer(), { member_id: `${number}-1` });
    expect((await importFile(rows(500))).json).toMatchObject({ unchanged: 3, faults: [] });
  });

  it('names each line that differs from an existing account', async () => {
    await importFile(rows(500).slice(0, 2));
    const { status, json } = await importFile(rows(600));
    expect(status).toBe(1);
    expect(json).toMatchObject({ created: 1, unchanged: 0 });
    expect(json.faults).toEqual([
      { line: 2, message: `program account ${number}-1 is there already, with another opening balance` },
      { line: 3, message: `program account ${number}-2 is there already, with another opening balance` },
    ]);
    const otherPin = rows(500).map((row) => row.replace('246802', '135791'));
    expect((await importFile(otherPin)).json.faults[0].message).toMatch(/another PIN$/);
  });

  it('reports a second line about the same account', async () => {
    const [first = '', second = ''] = rows(500);
    const twice = [first, second, first.replace('Ada', 'Eve')];
    for (const more of [['--dry-run'], []]) {
      expect((await importFile(twice, ...more)).json).toMatchObject({
        created: 2,
        faults: [{ line: 4, message: `an earlier line is about the account ${number}-1 already` }],
      });
    }
  });

  it('reports all faults of malformed lines', async () => {
    const { status, json } = await importFile(['A-1,Ada,Byron,nobody,x,-5,12', 'A-2,,Byron,,,1.5,']);
    expect(status).toBe(1);
    expect(json).toMatchObject({ created: 0, faults: [{ line: 2 }, { line: 3 }] });
    for (const cell of ['email', 'tier', 'points', 'pin']) expect(json.faults[0].message).toContain(`${cell}: `);
    for (const cell of ['first_name', 'points']) expect(json.faults[1].message).toContain(`${cell}: `);
    expect((await account('show', 'A-1')).status).toBe(1);
  });
});

describe('the command program account list', () => {
  it('lists the accounts by number, in pages', async () => {
    for (const nth of ['a', 'b', 'c']) await account('open', `LIST-${nth}`, ...holder);
    const first = (await account('list', '--after', 'LIST-', '--limit', '2')).json;
    expect(first.hasMore).toBe(true);
    expect(first.accounts.map((one: { account: string }) => one.account)).toEqual(['LIST-a', 'LIST-b']);
    const { out } = await admin.read('program account list "Skyline Miles" --after LIST-b --limit 1');
    expect(out).toMatch(/LIST-c +Linus Pauling .*not linked yet/);
  });
});

describe('the command program account change', () => {
  it('changes opening balance and PIN before the first link', async () => {
    await open('--points', '500', '--pin', '246802');
    const { json } = await account('change', number, '--points', '80', '--pin', '135791');
    expect(json).toMatchObject({ outcome: 'changed', stored: { openingPoints: 80 } });
    expect((await link(await connectToken(customer()))).status).toBe(400);
    await connected(customer(), { proof: '135791' });
    expect(await entries()).toEqual([['OPENING', 80]]);
    const [entry] = (await admin.script('audit list --limit 1')).json.entries;
    expect(entry).toMatchObject({
      what: `changed opening balance, PIN of account ${number} of organisation ${world.demo.partner.id}`,
      change: { before: { openingPoints: 500 }, after: { openingPoints: 80 } },
    });
  });

  it('changes no opening balance of a linked account', async () => {
    await open('--points', '500', '--pin', '246802');
    await connected(customer());
    expect((await account('change', number, '--tier', '3', '--last-name', 'P.')).json).toMatchObject({
      ...{ outcome: 'changed', statusTierId: 3, balance: 500 },
    });
    const member = await world.platform.members.find(await memberId());
    expect(member?.memberships).toMatchObject([{ statusTierId: 3, firstName: 'Linus', lastName: 'P.' }]);
    expect((await account('change', number, '--points', '9')).err).toContain('its opening balance is in the ledger');
    expect((await account('change', number, '--points', '500')).json.outcome).toBe('unchanged');
  });

  it('invalidates an authorization code from before the change', async () => {
    await open('--points', '500', '--pin', '246802');
    const { code } = (await link(await connectToken(customer()))).body.data;
    await account('change', number, '--points', '80');
    const refused = await exchange({ grant_type: 'authorization_code', code });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await connected(customer());
    expect(await entries()).toEqual([['OPENING', 80]]);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('unlocks a locked account by a new PIN', async () => {
    await open('--pin', '246802');
    for (let guess = 0; guess < 6; guess += 1) await link(await connectToken(), { proof: '000000' });
    expect((await link(await connectToken())).status).toBe(400);
    await account('change', number, '--pin', '135791');
    expect((await link(await connectToken(), { proof: '135791' })).status).toBe(200);
  });

  it('ends with status 2 when no value is named', async () => {
    await open();
    expect(await account('change', number)).toMatchObject({
      status: 2,
      err: expect.stringContaining('name what changes'),
    });
  });
});

describe('the command program account close', () => {
  it('prevents all later links of the account', async () => {
    await open('--pin', '246802');
    const { code } = (await link(await connectToken(customer()))).body.data;
    expect(await account('close', number)).toMatchObject({ status: 0, json: { writtenOffPoints: 0 } });
    expect((await exchange({ grant_type: 'authorization_code', code })).body.error).toBe('invalid_grant');
    expect((await link(await connectToken())).status).toBe(400);
    expect((await account('close', number)).err).toContain('is closed');
    expect((await account('change', number, '--tier', '1')).err).toContain('is closed');
    expect((await account('list', '--after', number, '--limit', '1')).status).toBe(0);
  });

  it('asks before it gives up points of the opening balance', async () => {
    await open('--points', '500');
    expect((await account('close', number)).err).toContain('give --write-off');
    const args = ['program', 'account', 'close', 'Skyline Miles', number, '--write-off'];
    const refused = await admin.person(() => 'no', ...args);
    expect(refused.asked).toEqual([expect.stringContaining('give up 500 points')]);
    expect((await account('show', number)).json.stored).toMatchObject({ closedAt: null, openingPoints: 500 });
    const closed = await admin.person(() => 'yes', ...args);
    expect(closed.out).toContain('500 points of it were given up');
    const [entry] = (await admin.script('audit list --limit 1')).json.entries;
    expect(entry.change).toMatchObject({ before: { openingPoints: 500 }, after: { openingPoints: 0 } });
  });

  it('writes off the points in the ledger after the account was unlinked', async () => {
    await open('--points', '500', '--pin', '246802');
    await connected(customer());
    expect((await account('close', number, '--write-off')).err).toContain('is linked: end that first');
    await unlink();
    expect((await account('close', number)).err).toContain('give --write-off');
    expect((await account('close', number, '--write-off')).json).toMatchObject({
      ...{ writtenOffPoints: 500, inLedger: 500 },
    });
    expect(await entries()).toEqual([
      ['OPENING', 500],
      ['ADJUSTMENT', -500],
    ]);
    expect((await account('show', number)).json).toMatchObject({ balance: 0, stored: { openingPoints: 500 } });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('keeps the points of an account that is linked while the operator confirms', async () => {
    await open('--points', '500', '--pin', '246802');
    const { status, err } = await admin.person(async () => {
      await connected(customer());
      return 'yes';
    }, `program account close "Skyline Miles" ${number} --write-off`);
    expect(status).toBe(1);
    expect(err).toContain('was changed meanwhile');
    expect(await entries()).toEqual([['OPENING', 500]]);
  });

  it('loses no point when the account is linked and closed in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      number = `RACE-${++count}`;
      await open('--points', '500', '--pin', '246802');
      const { code } = (await link(await connectToken(customer()))).body.data;
      const [linked, closed] = await Promise.all([
        exchange({ grant_type: 'authorization_code', code }),
        account('close', number, '--write-off'),
      ]);
      expect([linked.status === 200, closed.status === 0].filter(Boolean)).toHaveLength(1);
      const { json } = await account('show', number);
      expect(json.balance).toBe(linked.status === 200 ? 500 : null);
      expect(json.stored.openingPoints).toBe(linked.status === 200 ? 500 : 0);
    }
    expect(await reconcile(world.table)).toEqual([]);
  });
});

describe('the command reconcile', () => {
  it('reports an opening balance that the ledger does not have', async () => {
    await open('--points', '500', '--pin', '246802');
    await connected(customer());
    const { programAccounts, table } = world.platform;
    const stored = await programAccounts.find(world.demo.partner.id, number);
    expect(stored).toMatchObject({ links: 1, bookedAt: expect.any(String) });
    const key = { pk: `PROGRAM_ACCOUNT#${world.demo.partner.id}#${number}`, sk: 'PROGRAM_ACCOUNT' };
    await table.write({ kind: 'update', key, changes: { set: { openingPoints: 501 } } });
    expect(await reconcile(world.table)).toEqual([expect.stringContaining('opening balance and program account')]);
    await table.write({ kind: 'update', key, changes: { set: { openingPoints: 500 } } });
  });
});
