import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { contract as getUserContract } from '../../../functions/base/get-user/contract.ts';
import { handler as getUser } from '../../../functions/base/get-user/handler.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { isPartition, partitions } from '../../../shared/contracts/table.ts';
import { refusedAttempt } from '../../../shared/domain/award/refusal.ts';
import { processRegistration } from '../../../shared/operations/award/process-registration.ts';
import { eraseMember } from '../../../shared/operations/member/erase-member.ts';
import { indexMember } from '../../../shared/operations/member/find-members.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { setRule } from '../../../shared/operations/organisation/velocity-rules.ts';
import { claimPayments } from '../../../shared/operations/payment/claim-payments.ts';
import { partitionOf } from '../../../shared/operations/reconcile/book-builder.ts';
import { refusedAuthenticationId } from '../../../shared/store/award/refused-attempts.ts';
import { Person as StoredPerson } from '../../../shared/store/person/person.ts';
import {
  type PersonalKind,
  personalKindOf,
  personalKinds,
  personalPartitions,
} from '../../../shared/store/person/personal-items.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';
import { call } from '../../support/call.ts';
import { awardCashback } from '../../support/cashback.ts';
import { runUntilDone } from '../../support/dying-table.ts';
import {
  announcementOf,
  anOrderBody,
  applyRefunds,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { connectAccounts, ingest, settleAnnounced, stripeText } from '../../support/payment-story.ts';
import { livePerson, type Person } from '../../support/person-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, newShopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { temporaryFile } from './command-line.ts';

let mina: Person;

useWorld(async () => {
  await connectAccounts(world);
  await setRule('Skyline Miles', { unit: 'REWARDS', window: 'WEEK', most: 1_000 }, world.platform);
  mina = await livePerson(world);
  await admin.script(
    `member adjust ${mina.id} --program "Skyline Miles" --points 50 --reason Goodwill --reference T-1`,
  );
  await awardCashback(world, mina, 300);
  const { json } = await admin.script('cashback export "Corner Coffee × Skyline Miles"');
  await admin.script(`cashback mark-paid ${json.batch.uuid} --reference SEPA-1`);
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const allPartitions = Object.keys(partitions).filter(isPartition);

async function allItems(): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of world.table.mirror.read(allPartitions)) items.push(item);
  return items;
}

/** The items that contain at least one of the texts, in any attribute or key. */
const containing = (items: readonly Item[], texts: readonly (number | string)[]) =>
  items.filter((item) => {
    const text = JSON.stringify(item).toLowerCase();
    return texts.some((one) => text.includes(String(one).toLowerCase()));
  });

describe('the command member export', () => {
  it('knows for each item of the person whether to export it', async () => {
    const items = await allItems();
    const person = new StoredPerson({ userId: mina.id, userUuid: mina.uuid });
    for (const item of items) person.learn(item);
    const named = containing(items, [mina.id, mina.uuid, mina.account, ...mina.secrets]);

    expect(named.length).toBeGreaterThan(40);
    const kindless = named.filter((item) => personalKindOf(item, person) === undefined);
    expect(kindless.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
  });

  it('is tested with all but six kinds of personal items', async () => {
    const items = await allItems();
    const person = new StoredPerson({ userId: mina.id, userUuid: mina.uuid });
    for (const item of items) person.learn(item);
    const found = new Set(items.map((item) => personalKindOf(item, person)));
    const kinds = personalPartitions.flatMap((name): readonly (PersonalKind | string)[] =>
      [personalKinds[name]].flat(),
    );
    const missing = kinds.flatMap((kind) => (typeof kind === 'string' || found.has(kind) ? [] : [kind.holds]));

    expect(missing).toEqual([
      'the mark of an erased user',
      'the mark of a user who was merged into another one',
      // Earlier releases wrote it.
      'which refunds were applied',
      'the mark that an entry of the ledger is in the totals',
      'the payment of an order',
      'the log of webhooks: the same events',
    ]);
  });

  it('writes one document in plain words, without secrets', async () => {
    const file = temporaryFile('mina.json', '');
    const { status, json } = await admin.script(`member export ${mina.externalId} --of "Corner Coffee" --out ${file}`);

    expect({ status, json }).toMatchObject({ status: 0, json: { file, member: { id: mina.id, uuid: mina.uuid } } });
    const text = readFileSync(file, 'utf8');
    for (const secret of mina.secrets) expect(text).toContain(secret);
    expect(text).not.toMatch(/pinHash|pinSalt|rwa_local|"(pk|sk|ttl|digest)"/);
    const document = JSON.parse(text);
    const titles = document.sections.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(expect.arrayContaining(['You', 'Orders', 'Your ledger', 'What operators changed']));
    expect(document.sections.flatMap(({ entries }: { entries: object[] }) => entries)).toContainEqual(
      expect.objectContaining({
        merchant: `Corner Coffee (${world.demo.merchant.id})`,
        attributes: { employer: ['Harvard Observatory'] },
      }),
    );
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries[0]).toMatchObject({
      command: 'member export',
      what: `exported the data of member ${mina.id}`,
    });
  });

  it('prints the document when no file is named', async () => {
    const { out } = await admin.read(`member export ${mina.id}`);

    expect(JSON.parse(out).member.id).toBe(mina.id);
    expect((await admin.read('member export 12')).err).toContain('there is no member 12');
  });
});

const erase = (who: Person, ...more: string[]) =>
  admin.script(`member erase ${who.id} --reason "Request G-12" --confirm ${who.id}`, ...more);

/** Calls endpoint 4 as the person's merchant. */
const look = ({ uuid }: Person) =>
  call(getUser, getUserContract, { params: { id: uuid }, headers: { 'x-api-key': world.demo.merchant.apiKey } });

const statement = async () => (await admin.script('statement program "Skyline Miles"')).json;

describe('the command member erase', () => {
  it('names every obstacle, such as points that are left', async () => {
    await awardCashback(world, mina, 500);
    const { status, err } = await erase(mina);
    expect(status).toBe(1);
    expect(err).toContain('give --forfeit');
    expect(err).toContain('$5.00 of unpaid cashback');
    const { json } = await admin.script('cashback export "Corner Coffee × Skyline Miles"');
    expect((await erase(mina, '--forfeit')).err).toContain(`payout batch ${json.batch.uuid} will pay it`);
    await admin.script(`cashback mark-paid ${json.batch.uuid} --reference SEPA-2`);

    const other = await admin.script(`member erase ${mina.id} --reason x --confirm 12 --forfeit`);
    expect(other).toMatchObject({ status: 1, err: expect.stringContaining('--confirm names 12') });
    expect((await look(mina)).status).toBe(200);
  });

  it('refuses while a transaction or an order is pending', async () => {
    const busy = await newShopper(world, 0);
    const created = await createBy(busy, await ask(busy, { campaignId: world.demo.campaigns.earn, amount: 10 }));
    const { id } = created.body.data.reward_transactions[0];
    const order = await orderOf(
      world,
      await postOrder(world, anOrderBody({ user: { merchant_external_id: busy.externalId } })),
    );
    const { err } = await admin.script(`member erase ${busy.id} --reason x --confirm ${busy.id} --forfeit`);

    expect(err).toContain(`transaction ${id} (PENDING)`);
    expect(err).toContain(`order ${order.uuid} (PENDING)`);
    await settleOrder(await announcementOf(world, order), world.platform);
    await confirmAll(world);
  });

  it('leaves nothing of the person, and leaves the books consistent', async () => {
    // A token that is not spent, and the points that it holds.
    const token = await ask(mina, { campaignId: world.demo.campaigns.redeem, amount: 1 });
    const [before, ledger] = [await statement(), await admin.script(`member ledger ${mina.id}`)];
    const { status, json, err } = await erase(mina, '--forfeit');

    expect({ status, json, err }).toMatchObject({
      status: 0,
      err: '',
      json: { erased: { userId: mina.id, isRepeated: false, pointsLeft: [], ownPrograms: [] } },
    });
    const items = await allItems();
    expect(containing(items, mina.secrets).map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
    const withAccount = new Set(containing(items, [mina.account]).map(partitionOf));
    expect([...withAccount].sort()).toEqual(['programAccount', 'user']);
    expect(await reconcile(world.table)).toEqual([]);
    const [entries] = ledger.json.accounts.map((account: { entries: object[] }) => account.entries);
    const after = (await world.platform.ledger.entriesOf(mina.id, world.demo.partner.id)).filter(
      ({ kind }) => kind !== 'ADJUSTMENT',
    );
    expect(after).toHaveLength(entries.length);
    const { months } = await statement();
    expect({ ...months.at(-1), adjusted: 0, outstanding: 0 }).toEqual({
      ...before.months.at(-1),
      adjusted: 0,
      outstanding: 0,
    });
    expect((await look(mina)).status).toBe(404);
    expect((await createBy(mina, token)).status).toBe(400);
    const refused = await ask(mina, { campaignId: world.demo.campaigns.earn, amount: 10 });
    expect(refused.body.data?.authentication_status).not.toBe(1);
    const show = await admin.script(`member show ${mina.id}`);
    expect(show.err).toContain(`member ${mina.id} was erased at`);
    expect((await admin.script(`member find "${mina.email}"`)).json).toMatchObject({ members: [], erased: null });
    for (const id of [String(mina.id), mina.uuid]) {
      const found = await admin.read(`member find ${id}`);
      expect(found).toMatchObject({ status: 0, out: expect.stringMatching(/^Member \d+ was erased on .* UTC: /) });
      for (const secret of mina.secrets) expect(found.out).not.toContain(secret);
    }
  });

  it('removes data that was written after an earlier run', async () => {
    // Another function may accept a cached user token after the erasure, and store the refusal of a purchase.
    await erase(mina);
    const purchase = { merchantId: world.demo.merchant.id, externalTransactionId: 'late-purchase', userId: mina.id };
    const refusal = { ...purchase, amountCents: 1_000, reason: 'user_does_not_exist' } as const;
    const authenticationId = refusedAuthenticationId(refusal, 'local');
    await world.platform.refusedAttempts.keep(
      refusedAttempt({ ...refusal, authenticationId, refusedAt: new Date().toISOString() }, undefined),
    );
    expect((await erase(mina)).json.erased).toMatchObject({ isRepeated: true, items: 1 });
    expect((await erase(mina)).json.erased).toMatchObject({ isRepeated: true, items: 0 });
    const { out } = await admin.read(`member erase ${mina.id} --reason x --confirm ${mina.id}`);
    expect(out).toContain('was erased at');
  });

  it('lets late events and refunds be processed', async () => {
    for (const event of (await outboxEvents(world)).filter(({ entityId }) => entityId === mina.uuid)) {
      const linked = PlatformEvent.parse(event);
      await processRegistration(linked, world.platform);
      await claimPayments(linked, world.platform);
      await indexMember(linked, world.platform);
    }
    await admin.script(`transaction reverse ${await redemptionOf(mina)} --reason "The shop burned down"`);
    await confirmAll(world);
    const { partner } = world.demo;
    const [back] = (await erase(mina)).json.erased.pointsLeft;
    expect(back).toEqual({ partnerId: partner.id, points: expect.any(Number) });
    expect((await erase(mina, '--forfeit')).json.erased).toMatchObject({ isRepeated: true, pointsLeft: [] });

    await postRefund(world, mina.order.uuid, { refund_external_id: 'late', amount: 8_100 });
    await applyRefunds(world, mina.order);
    await confirmAll(world);
    expect(await world.platform.orders.find(mina.order.uuid)).toMatchObject({ state: 'REFUNDED' });
    expect(await world.platform.members.findMembership(mina.id, partner.id)).toMatchObject({
      ...{ availablePoints: 0, owedPoints: expect.any(Number), firstName: '' },
    });
    expect((await erase(mina)).json.erased).toMatchObject({ items: 0, pointsLeft: [] });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('awards no purchase again when the person returns', async () => {
    const again = await newShopper(world, 0, mina.externalId);
    const { body } = await ask(again, {
      campaignId: world.demo.campaigns.earn,
      amount: 100,
      order: mina.order.externalOrderId,
    });

    expect(again.id).not.toBe(mina.id);
    expect(body.data).toMatchObject({ authentication_status: 4, reason: 'transaction_already_exists' });
    const { status, err } = await admin.script(
      `member link new-customer --merchant "Corner Coffee" --program "Skyline Miles" --account "${mina.account}"`,
    );
    expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining('is closed') });
  });

  it('keeps the data of the next person who has the same customer id', async () => {
    const { merchant, partner } = world.demo;
    const anna = await newShopper(world);
    await admin.script(`member unlink ${anna.id} --program "Skyline Miles"`);
    const holder = { firstName: 'Bob', lastName: 'Berg', email: 'bob@example.org' };
    const bob = await createMember(
      {
        ...holder,
        merchant: { id: merchant.id, externalId: anna.externalId },
        program: { partnerId: partner.id, externalId: `bob-${anna.externalId}`, statusTierId: null, points: 0 },
      },
      world.platform,
    );
    const paid = { id: `pi_${anna.externalId}`, amount: 5_000, amount_received: 5_000, currency: 'usd' };
    const metadata = { merchant_external_id: anna.externalId };
    await ingest(world, stripeText('payment_intent.succeeded', { customer: null, metadata, ...paid }));
    await settleAnnounced(world);
    await confirmAll(world);
    const bobs = async () => (await allItems()).filter(({ pk, userId }) => userId === bob.user.id && pk !== 'AUDIT');
    const before = await bobs();
    expect(new Set(before.map(partitionOf))).toContain('payment');

    const { json } = await admin.script(`member export ${anna.id}`);
    const titles = json.sections.map(({ title }: { title: string }) => title);
    expect(titles).toContain('You');
    expect(titles).not.toContain('Payments');
    const reason = ['--reason', 'Request G-17', '--confirm', String(anna.id)];
    expect((await admin.script(`member erase ${anna.id}`, ...reason)).err).toBe('');
    expect(await bobs()).toEqual(before);
  });

  it('finishes when it is killed before any write and then run again', async () => {
    const fated = await livePerson(world);
    const order = {
      ...{ member: { id: String(fated.id) }, reason: 'Request G-13', forfeits: true },
      readItems: () => world.table.mirror.read(personalPartitions),
    };
    const { runs, faults } = await runUntilDone(world, (deps) => eraseMember(order, deps));

    expect(faults).toEqual([]);
    expect(runs).toBeGreaterThan(20);
    const items = await allItems();
    expect(containing(items, fated.secrets.slice(2)).map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
    expect((await erase(fated)).json.erased).toMatchObject({ isRepeated: true, items: 0, pointsLeft: [] });
  });
});

/** The completed redemption of a person. */
async function redemptionOf({ id }: Person): Promise<number> {
  const entries = await world.platform.ledger.entriesOf(id, world.demo.partner.id);
  return entries.find(({ kind }) => kind === 'REDEEM')?.transactionId ?? 0;
}
