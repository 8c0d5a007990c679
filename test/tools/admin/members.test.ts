import { describe, expect, it } from 'vitest';
import { type InternalEvent, PlatformEvent } from '../../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Association } from '../../../shared/domain/member/member.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { associationChangeWrites, associationWrites } from '../../../shared/store/member/members.ts';
import { confirm } from '../../support/finalize.ts';
import {
  announcementOf,
  announcementsOf,
  anOrderBody,
  orderOf,
  postOrder,
  postRefund,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { readBooks } from '../../support/reconcile.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { newShopper } from '../../support/shoppers.ts';
import { createTransaction } from '../../support/story.ts';
import type { World } from '../../support/world.ts';
import { admin, useWorld, world } from './admin-world.ts';

let earned: RewardTransaction;
let redeemed: RewardTransaction;

useWorld(async () => {
  const { platform, demo } = world;
  earned = await createTransaction(world, { campaignId: demo.campaigns.earn, amount: 42.5 });
  redeemed = await createTransaction(world, { campaignId: demo.campaigns.redeem, amount: 15 });
  for (const transaction of [earned, redeemed]) await confirm(transaction, platform, 'reference');
});

const ada = () => world.demo.members[0] as World['demo']['members'][number];

describe('the command member', () => {
  const person = ['--first-name', 'Alan', '--last-name', 'Mathison', '--email', 'alan@example.com'];

  it('`create` returns a member who is a customer of the merchant', async () => {
    const { status, json } = await admin.script(
      'member create --merchant "Corner Coffee" --external-id cc-9',
      ...person,
    );

    expect(status).toBe(0);
    expect(json.member).toMatchObject({
      firstName: 'Alan',
      externalId: 'cc-9',
      accounts: [],
      merchants: [{ merchantId: 1, externalId: 'cc-9', totalEarnedPoints: 0, totalRedeemedPoints: 0 }],
    });
    expect((await admin.read('member ledger cc-9 --of 1')).out).toContain('is in no program');
  });

  it('`unlink` unlinks an account at every merchant', async () => {
    const shopper = await newShopper(world, 30);
    const named = ['member', 'unlink', shopper.externalId, '--of', 'Corner Coffee', '--program', 'Skyline Miles'];
    const { status, json } = await admin.script(...named, '--yes');
    expect(status).toBe(0);
    const { id: merchantId } = world.demo.merchant;
    const partnerId = world.demo.partner.id;
    expect(json.unlinked).toEqual([{ userId: shopper.id, partnerId, merchantId, isDetached: true }]);

    const shown = await admin.script(`member show ${shopper.id}`);
    expect(shown.json.member.accounts).toMatchObject([{ availablePoints: 30 }]);
    expect((await admin.read('audit list')).out).toContain(`unlinked member ${shopper.id}`);
    const again = await admin.read(`member unlink ${shopper.id} --program "Skyline Miles" --yes`);
    expect(again.status).not.toBe(0);
    expect(again.err).toContain(`has no linked account of member ${shopper.id}`);
  });

  it("`create` writes a new account's opening balance to the ledger", async () => {
    const { json } = await admin.script(
      'member create --merchant 1 --external-id cc-10 --program 2 --program-id SKY-10 --tier 2 --points 500',
      ...person,
    );
    const { id } = json.member;

    expect(json.member.accounts).toEqual([
      expect.objectContaining({ partnerId: 2, externalId: 'SKY-10', statusTierId: 2, balance: 500, heldPoints: 0 }),
    ]);
    expect((await admin.script('member ledger SKY-10 --of "Skyline Miles"')).json).toEqual({
      memberId: id,
      accounts: [
        {
          partnerId: 2,
          balance: 500,
          entries: [
            {
              at: expect.any(String),
              kind: 'OPENING',
              points: 500,
              cashbackCents: 0,
              paidOutCents: 0,
              balance: 500,
              campaignId: null,
              transactionId: null,
              transactionUuid: null,
            },
          ],
        },
      ],
    });
  });

  it('`show` finds a member by id, UUID and external id', async () => {
    const { id, uuid } = ada();
    const found = await Promise.all([
      admin.script(`member show ${id}`),
      admin.script('member show', uuid.toUpperCase()),
      admin.script('member show cc-1001 --of "Corner Coffee"'),
      admin.script('member show SKY-77001 --of 2'),
    ]);

    expect(found.map(({ json }) => json.member.uuid)).toEqual([uuid, uuid, uuid, uuid]);
    expect(found[0]?.json.member.accounts).toEqual([
      expect.objectContaining({
        balance: 25_000 + 127 - 1_500,
        heldPoints: 0,
        statusTier: 'Gold',
        totalEarnedPoints: 127,
      }),
    ]);
    expect((await admin.read(`member show ${uuid}`)).out).toMatch(
      /Skyline Miles +SKY-77001 +Gold \(2\) +23,627 +23,627 +0/,
    );
  });

  it('`show` lists the data of each merchant separately', async () => {
    const { platform, demo } = world;
    const merchant = { id: demo.merchant.id, externalId: 'cc-reported' };
    const names = { firstName: 'Alan', lastName: 'Mathison', email: 'reported@example.com' };
    const { user, associations } = await createMember({ ...names, merchant }, platform);
    const association = associations[0] as Association;
    const show = () => admin.read(`member show ${user.id}`);
    expect((await show()).out).not.toContain('Reported by');
    const reported = {
      location: { country: 'US', region: null, city: 'Austin' },
      attributes: { plan: ['gold', 'blue'] },
    };
    const others = { ...association, merchantId: demo.outsider.id, externalId: 'hb-1', attributes: { club: [] } };
    await platform.table.transact([
      ...associationChangeWrites({ association, set: reported }),
      ...associationWrites(others),
    ]);

    const { json } = await admin.script(`member show ${user.id}`);
    const { out } = await show();

    expect(json.member.merchants).toMatchObject([
      { merchantId: 1, ...reported },
      { merchantId: 3, location: null, attributes: { club: [] } },
    ]);
    expect(out).toMatch(/Reported by Corner Coffee\n+ *lives in +Austin, US\n *attributes +plan: gold, blue\n/);
    expect(out).toMatch(/Reported by Harbour Books\n+ *lives in +-?\n *attributes +club: nothing/);
  });

  it('`show` finds no member by another UUID of the same integer', async () => {
    // Several UUIDs have the same integer id, because it does not contain their last bits.
    const { status, err } = await admin.read(`member show ${ada().uuid.slice(0, -6)}abcdef`);

    expect([status, err]).toEqual([1, expect.stringContaining('there is no member')]);
  });

  it('`ledger` shows the balance after each entry', async () => {
    const { json } = await admin.script(`member ledger ${ada().id} --program "Skyline Miles"`);
    const [account] = json.accounts;

    expect(account.balance).toBe(23_627);
    expect(account.entries.map((entry: Record<string, unknown>) => [entry.kind, entry.points, entry.balance])).toEqual([
      ['OPENING', 25_000, 25_000],
      ['EARN', 127, 25_127],
      ['REDEEM', -1_500, 23_627],
    ]);
    expect(account.entries[1]).toMatchObject({
      campaignId: world.demo.campaigns.earn,
      transactionId: earned.id,
      transactionUuid: earned.uuid,
    });
    const { out } = await admin.read(`member ledger ${ada().id}`);
    expect(out).toMatch(/EARN +\+127 +25,127/);
    expect(out).not.toContain('run reconcile');
    const elsewhere = await admin.read(`member ledger ${ada().id} --program 3`);
    expect(elsewhere.err).toContain('has no account in the program of organisation 3 (Harbour Books)');
  });

  it('`why` explains the points that a transaction earned', async () => {
    const { json } = await admin.script(`member why ${earned.id}`);
    const { out } = await admin.read('member why', earned.uuid.toUpperCase());

    expect(Object.keys(json)).toEqual([
      ...['transaction', 'campaign', 'explanation', 'decision', 'program', 'payment', 'reversals'],
    ]);
    expect(json.transaction).toMatchObject({ id: earned.id, state: 'COMPLETED', points: 127 });
    expect(json.campaign).toBe('Two points for every dollar');
    expect(json.decision).toEqual(await world.platform.transactions.findSnapshot(earned.snapshotId));
    for (const line of json.explanation) {
      expect(out).toContain(line.replace('campaign 1,', 'campaign 1 (Two points for every dollar),'));
    }
    expect(out).toContain('$42.50 × 2 points per dollar × 1.5 came to 127 points, rounded down.');
  });

  it('`why` explains the points that a transaction redeemed', async () => {
    const { out } = await admin.read(`member why ${redeemed.id}`);

    expect(out).toContain('redeemed 1,500 points');
    expect(out).toContain('$15.00 ÷ $0.01 per point came to 1,500 points');
    expect((await admin.read('member why 5')).err).toBe(
      'there is no reward transaction, order, payment or trigger event 5; npm run admin -- transaction list --merchant <organisation> shows what there is\n',
    );
  });

  it('`why` explains a refunded transaction and its reversal', async () => {
    const { platform } = world;
    const received = await orderOf(world, await postOrder(world, anOrderBody()));
    await settleOrder(await announcementOf(world, received), platform);
    const { transactionIds } = await orderAsItIs(received);
    const original = await confirmed(transactionIds[0] ?? 0);
    await postRefund(world, received.uuid, { refund_external_id: 'half', amount: 5_400 });
    const [refund] = await announcementsOf(world, received.uuid, 'refund_received');
    await settleRefund(refund as InternalEvent, platform);
    const { transactions } = await readBooks(world.table);
    const reversal = await confirmed(transactions.find(({ reverses }) => reverses?.id === original.id)?.id ?? 0);

    const [ofOriginal, ofReversal] = await Promise.all(
      [original, reversal].map(({ id }) => admin.read(`member why ${id}`)),
    );
    expect(ofOriginal?.out).toContain('earned 300 points');
    expect(ofOriginal?.out).toContain('a purchase of $108.00; $100.00 of it can earn');
    const refunds = 'Refunds of $54.00 in total, from a payment of $108.00, reversed 150 points and left 150 points.';
    expect(ofOriginal?.out).toContain(refunds);
    expect(ofReversal?.out).toMatch(/effect +reversed 150 points\n/);
    expect(ofReversal?.out).toContain(
      `A refund of $54.00 reversed 150 points of transaction ${original.id}, which had earned 300 points.`,
    );
    expect(ofReversal?.out).toContain(refunds);
    const { json } = await admin.script(`member why ${reversal.id}`);
    expect(json.transaction.reverses.id).toBe(original.id);
  });

  const orderAsItIs = async ({ uuid }: Order) => (await world.platform.orders.find(uuid)) as Order;

  /** Lets the program confirm a transaction. Returns the transaction. */
  async function confirmed(id: number): Promise<RewardTransaction> {
    const { transactions } = world.platform;
    const { uuid } = (await transactions.find(id)) as RewardTransaction;
    const events = await outboxEvents(world);
    const created = events.find(({ name, entityId }) => name === 'transaction_created' && entityId === uuid);
    await syncWithProgram(PlatformEvent.parse(created), world.platform);
    return (await transactions.find(id)) as RewardTransaction;
  }
});

describe('the command token', () => {
  it('`issue` returns tokens that work', async () => {
    const { json } = await admin.script('token issue cc-1002 --of "Corner Coffee"');
    const { digestOf } = await import('../../../shared/store/credential/credentials.ts');

    expect(json).toEqual({
      memberId: world.demo.members[1]?.id,
      merchantId: 1,
      accessToken: expect.stringMatching(/^rwu_local_/),
      refreshToken: expect.stringMatching(/^rwr_local_/),
      expiresAt: expect.any(String),
    });
    expect(await world.platform.credentials.find(digestOf(json.accessToken))).toMatchObject({
      kind: 'userToken',
      organisationId: 1,
      userId: json.memberId,
      isRevoked: false,
    });
  });
});

describe('the command audit', () => {
  it('`list` shows operator and change, newest first, and no secret', async () => {
    const { json: key } = await admin.script('key create 1 --actor "Maria of operations"');
    await admin.script(`key revoke ${key.key.id}`);
    const { json } = await admin.script('audit list --limit 2');

    expect(json).toEqual({
      month: expect.stringMatching(/^\d{4}-\d\d$/),
      hasMore: true,
      entries: [
        {
          id: expect.any(String),
          at: expect.any(String),
          operator: expect.stringMatching(/^.+@.+$/),
          actor: null,
          command: 'key revoke',
          run: expect.any(String),
          what: `revoked key ${key.key.id} of organisation 1 (Corner Coffee)`,
          changes: 1,
        },
        expect.objectContaining({ command: 'key create', actor: 'Maria of operations' }),
      ],
    });
    const { out } = await admin.read('audit list');
    expect(out).toContain('created member');
    expect(out).toContain('issued user tokens of member');
    expect(out).not.toMatch(/rw[kurs]_/);
  });

  it('`list` shows no change that was refused', async () => {
    const before = (await admin.script('audit list')).json.entries.length;
    await admin.script('organisation create "Corner Coffee" --kind merchant');
    await admin.person(() => 'no', 'partnership deactivate "Corner Coffee × Skyline Miles"');
    await admin.script('key revoke 1-000000000000');

    expect((await admin.script('audit list')).json.entries).toHaveLength(before);
  });
});
