import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { createdMembership } from '../../../shared/domain/connect/decide-link.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { createSecretsServer } from '../../../tools/local/secrets/server.ts';
import { connectStory, openAccount } from '../../support/connect-story.ts';
import { confirmAll, processedOrder } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { aProgram, type TestProgram } from '../../support/program-server.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf, temporaryFile } from './command-line.ts';

let world: World;
let admin: ReturnType<typeof commandLineOf>;
let program: TestProgram;
let account: string;
let customer: string;
const secretsServer = createSecretsServer(`${temporaryFolder('secrets')}/secrets.json`);
beforeAll(async () => {
  world = await makeWorld();
  await provisionOrganisation(world.platform, { name: 'Empty Shop', kind: 'MERCHANT' });
  program = await aProgram();
  admin = commandLineOf({ ...world.table, secrets: await secretsServer.listen() });
});
afterAll(async () => {
  await program?.close();
  await secretsServer.close();
});
beforeEach(async () => {
  account = `acc-${randomUUID()}`;
  customer = `cc-${randomUUID()}`;
  await openAccount(world, account);
});

const { connected } = connectStory(() => ({ world, account }));
const at = ['--merchant', 'Corner Coffee', '--program', 'Skyline Miles'];
const link = (...more: string[]) => admin.script(`member link "${customer}"`, ...at, '--account', account, ...more);
const holder = async () => (await world.platform.members.findByExternalId(world.demo.partner.id, account)) as Member;

/** The events about the links of a user. */
async function linkEvents(uuid: string): Promise<PlatformEvent[]> {
  const events = await outboxEvents(world);
  return events.filter(({ entityId }) => entityId === uuid).map((event) => PlatformEvent.parse(event));
}

describe('the command member link', () => {
  it('links an account with its opening balance to a new customer', async () => {
    const { status, json } = await link();
    const member = await holder();

    expect(status).toBe(0);
    expect(json).toMatchObject({ outcome: 'created', memberId: member.user.id, uuid: member.user.uuid, account });
    expect(member.associations).toMatchObject([{ merchantId: world.demo.merchant.id, externalId: customer }]);
    expect(member.memberships).toMatchObject([{ availablePoints: 700 }]);
    const [event] = await linkEvents(member.user.uuid);
    expect(event).toMatchObject({ name: 'user_partner_authentication_created', partnerId: world.demo.partner.id });
    // The registration is rewarded, as after a link by the connect page.
    expect(event && createdMembership(member, event)).toBeDefined();
    const shown = (await admin.script('audit list --limit 1')).json.entries[0];
    expect(shown).toMatchObject({ command: 'member link', change: { before: null, after: { openingPoints: 700 } } });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('issues no tokens without the customer’s consent', async () => {
    await link();
    const { user } = await holder();
    expect(await world.platform.grants.activeOf(user.id, world.demo.merchant.id)).toEqual([]);
  });

  it('lets a later order of the customer earn points', async () => {
    const { json } = await link();
    await processedOrder(world, { id: json.memberId, uuid: json.uuid, externalId: customer, accessToken: '' });
    await confirmAll(world);
    expect((await holder()).memberships).toMatchObject([{ availablePoints: 900 }]);
  });

  it('changes nothing for an account that is linked already', async () => {
    await link();
    const again = await link();
    expect(again.json.outcome).toBe('unchanged');
    expect(await linkEvents((await holder()).user.uuid)).toHaveLength(1);
  });

  it('links an existing customer or a member of another merchant', async () => {
    const merchant = { id: world.demo.merchant.id, externalId: customer };
    const names = { firstName: 'Mary', lastName: 'Shelley', email: `${customer}@example.com` };
    const { user } = await createMember({ ...names, merchant }, world.platform);
    expect((await link()).json).toMatchObject({ outcome: 'changed', memberId: user.id });

    const { demo, platform } = world;
    const sides = { merchantId: demo.outsider.id, partnerId: demo.partner.id, allowsCashback: false };
    await createPartnership({ name: 'Books × Miles', description: null, ...sides }, platform);
    const elsewhere = ['--merchant', 'Harbour Books', '--program', 'Skyline Miles', '--account', account];
    expect((await admin.script('member link hb-1', ...elsewhere)).json).toMatchObject({
      ...{ outcome: 'created', memberId: user.id, merchantId: demo.outsider.id },
    });
    expect((await holder()).memberships).toMatchObject([{ availablePoints: 700 }]);
  });

  it('links an account again after its unlink, with the same points', async () => {
    await link();
    const unlink = ['member', 'unlink', customer, '--of', 'Corner Coffee', '--program', 'Skyline Miles'];
    expect((await admin.script(...unlink)).status).toBe(0);
    const { id } = (await holder()).user;
    expect((await link()).json).toMatchObject({ outcome: 'changed', memberId: id });
    expect((await holder()).memberships).toMatchObject([{ availablePoints: 700 }]);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it.each([
    ['an account of another customer', 'cc-1002', [], 'belongs to member'],
    ['an unknown account', undefined, ['--account', 'nothing'], 'has no account nothing'],
    ['a wrong proof', undefined, ['--proof', '000000'], 'does not know account'],
    ['a merchant without a partnership', undefined, ['--merchant', 'Empty Shop'], 'have no active partnership'],
  ])('refuses %s', async (_, other, more, message) => {
    if (other !== undefined) await link();
    const named = other ?? customer;
    const refused = await admin.script(`member link "${named}"`, ...at, '--account', account, ...more);
    expect(refused.status).toBe(1);
    expect(refused.err).toContain(message);
  });

  it('asks for confirmation, and writes nothing without it', async () => {
    const args = ['member', 'link', customer, ...at, '--account', account];
    expect((await admin.person(() => 'no', ...args)).status).toBe(1);
    expect(await holder()).toBeUndefined();
  });

  it('makes one link when operators and the customer link at once', async () => {
    const session = { user: { external_id: customer } };
    const results = await Promise.all([link(), link(), link(), connected(session)]);
    expect(results.slice(0, 3).every((one) => 'status' in one && one.status === 0)).toBe(true);
    const member = await holder();
    expect(member.memberships).toMatchObject([{ availablePoints: 700 }]);
    expect(member.associations).toHaveLength(1);
    expect(await reconcile(world.table)).toEqual([]);
  });
});

describe('`member link` with a partner’s own program', () => {
  let partner: Awaited<ReturnType<typeof provisionOrganisation>>;
  const own = () => ['--merchant', 'Corner Coffee', '--program', String(partner.id)];
  beforeAll(async () => {
    partner = await provisionOrganisation(world.platform, { name: 'Own Miles', kind: 'PARTNER' });
    const sides = { merchantId: world.demo.merchant.id, partnerId: partner.id, allowsCashback: false };
    await createPartnership({ name: 'Coffee × Own', description: null, ...sides }, world.platform);
    const connect = ['program', 'connect', String(partner.id), '--url', program.url, '--secret', program.secret];
    expect((await admin.script(...connect)).err).toBe('');
    await program.open({ member_id: 'OWN-1', proof: '2468', balance: 350, status_tier_id: 4 });
  });

  it('links a verified account with its balance', async () => {
    const wanted = ['member', 'link', customer, ...own(), '--account', 'OWN-1'];
    expect((await admin.script(...wanted)).err).toContain('give the proof of account OWN-1');
    expect((await admin.script(...wanted, '--proof', '1111')).err).toContain('does not know account OWN-1');
    expect((await admin.script(...wanted, '--proof', '2468')).json.outcome).toBe('created');
    const member = await world.platform.members.findByExternalId(partner.id, 'OWN-1');
    expect(member?.memberships).toMatchObject([{ availablePoints: 350, statusTierId: 4 }]);
    expect(await world.platform.programAccounts.find(partner.id, 'OWN-1')).toBeUndefined();
    const { out } = await admin.read('program list');
    expect(out).toMatch(/^ *2 +Skyline Miles +the platform +-$/m);
    expect(out).toMatch(new RegExp(`^ *${partner.id} +.* the partner +${program.url}/$`, 'm'));
    expect((await admin.script('program list')).json.programs).toContainEqual(
      expect.objectContaining({ url: `${program.url}/` }),
    );
    const shown = await admin.script(`program account show ${partner.id} OWN-1`);
    expect(shown.json).toMatchObject({ stored: null, memberId: member?.user.id, balance: 350 });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('is allowed, while `program account` refuses to open or change accounts', async () => {
    for (const args of [
      ['open', 'Own Miles', 'OWN-2', '--first-name', 'A', '--last-name', 'B'],
      ['list', 'Own Miles'],
      ['change', 'Own Miles', 'OWN-1', '--tier', '2'],
      ['close', 'Own Miles', 'OWN-1'],
    ]) {
      const { status, err } = await admin.script('program account', ...args);
      expect(status).toBe(1);
      expect(err).toContain('runs its program itself');
    }
  });

  it('reports a program that does not answer', async () => {
    await program.order({ fault: 'fail', call: 'verify', status: 503 });
    const failed = await admin.script(`member link "${customer}"`, ...own(), '--account', 'OWN-1', '--proof', '2468');
    await program.clearFaults();
    expect(failed.err).toContain('does not answer');
  });
});

describe('the command member import', () => {
  const importFile = (lines: readonly string[], ...more: string[]) => {
    const file = temporaryFile('customers.csv', lines.join('\n'));
    return admin.script(`member import ${file} --merchant "Corner Coffee"`, ...more);
  };
  const file = () => [
    'customer,first_name,last_name,email,account',
    `${customer}-1,Ada,Byron,ada1@example.com,`,
    `${customer}-2,,,two@example.com,${account}`,
  ];
  const withAccounts = ['--program', 'Skyline Miles'];

  it('creates and links customers once, after a dry run', async () => {
    const counts = { created: 2, changed: 0, unchanged: 0, faults: [] };
    expect((await importFile(file(), ...withAccounts, '--dry-run')).json).toEqual({ dry_run: true, ...counts });
    expect(await holder()).toBeUndefined();
    expect((await importFile(file(), ...withAccounts)).json).toEqual({ dry_run: false, ...counts });
    expect((await importFile(file(), ...withAccounts)).json).toMatchObject({ unchanged: 2, faults: [] });
    expect((await holder()).associations).toMatchObject([{ externalId: `${customer}-2` }]);
    const one = await world.platform.members.findByExternalId(world.demo.merchant.id, `${customer}-1`);
    expect(one).toMatchObject({ user: { firstName: 'Ada', email: 'ada1@example.com' }, memberships: [] });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('links an account later to a customer who was imported without an account', async () => {
    await importFile(['customer,first_name,last_name,email', `${customer},Ada,Byron,a@example.com`]);
    const later = ['customer,account', `${customer},${account}`];
    expect((await importFile(later, ...withAccounts)).json).toMatchObject({ changed: 1, faults: [] });
    expect((await importFile(later, ...withAccounts)).json).toMatchObject({ unchanged: 1 });
  });

  it('names each line with contradicting data, a repeated customer or an unknown account', async () => {
    await importFile(file(), ...withAccounts);
    const [head = '', one = '', two = ''] = file();
    const { json, status } = await importFile(
      [head, one.replace('Byron', 'King'), two.replace('-2,', '-3,'), `${customer}-4,,,,nothing`, one],
      ...withAccounts,
    );
    expect(status).toBe(1);
    expect(json).toMatchObject({ created: 0, changed: 0, unchanged: 0 });
    expect(json.faults).toEqual([
      { line: 2, message: `customer ${customer}-1 is there already, with another last name` },
      { line: 3, message: expect.stringContaining('belongs to member') },
      { line: 4, message: expect.stringContaining('has no account nothing') },
      { line: 5, message: expect.stringContaining('an earlier line is about the customer') },
    ]);
  });

  it('needs a name or an account in each line', async () => {
    expect((await importFile(file())).status).toBe(2);
    const { json } = await importFile(['customer,first_name', `${customer},Ada`]);
    expect(json.faults).toEqual([{ line: 2, message: 'needs first_name, last_name and email, or an account' }]);
  });
});
