import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { confirm, reject } from '../../support/finalize.ts';
import {
  announcementsOf,
  anOrderBody,
  applyRefunds,
  orderOf,
  postOrder,
  postRefund,
  processedOrder,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

useWorld();

const command = (name: 'reverse' | 'cancel' | 'retry', id: number | string) => [
  ...['transaction', name, String(id), '--reason', 'A test purchase'],
];

async function transactionOf(id: number): Promise<RewardTransaction> {
  const found = await world.platform.transactions.find(id);
  if (!found) throw new Error(`there is no transaction ${id}`);
  return found;
}

/** A pending transaction of a purchase of $10. */
async function pending(shopper: Shopper, kind: 'earn' | 'redeem' = 'earn', order: string = randomUUID()) {
  const token = await ask(shopper, { campaignId: world.demo.campaigns[kind], amount: 10, order });
  const { body } = await createBy(shopper, token);
  return transactionOf(body.data.reward_transactions[0].id);
}

async function completed(shopper: Shopper, kind: 'earn' | 'redeem' = 'earn', order: string = randomUUID()) {
  const transaction = await pending(shopper, kind, order);
  await confirm(transaction, world.platform);
  return transactionOf(transaction.id);
}

async function accountOf({ id }: Shopper) {
  const found = await world.platform.members.findMembership(id, world.demo.partner.id);
  if (!found) throw new Error('there is no account');
  return found;
}

describe('the command transaction reverse', () => {
  it('reverses a completed reward once, and explains the reversal', async () => {
    const shopper = await newShopper(world, 5);
    const original = await completed(shopper);
    const { status, json } = await admin.script(...command('reverse', original.id));
    expect(status).toBe(0);
    expect(json.reversals).toMatchObject([
      { points: original.points, state: 'PENDING', reversalReason: 'A test purchase' },
    ]);
    await confirm(await transactionOf(json.reversals[0].id), world.platform);

    const again = await admin.script(...command('reverse', original.id));
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('nothing is left') });
    expect(await transactionOf(original.id)).toMatchObject({ state: 'REVERSED' });
    expect((await accountOf(shopper)).availablePoints).toBe(5);
    const { out: why } = await admin.read(`member why ${json.reversals[0].id}`);
    expect(why).toMatch(
      /^ {2}Operator \S+@\S+ reversed \d+ points of transaction \d+, which had earned \d+ points\.$/m,
    );
    expect(why).not.toMatch(/refunds? of/i);
    const { out: whyOriginal } = await admin.read(`member why ${original.id}`);
    expect(whyOriginal).toMatch(/^effect +earned \d+ points; all of it reversed later$/m);
    expect(whyOriginal).toMatch(/Operator \S+@\S+ reversed all of it on .*\n +Reason: A test purchase/);
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries[0]).toMatchObject({
      command: 'transaction reverse',
      what: expect.stringContaining('A test purchase'),
      change: { after: { [original.id]: { reversedPoints: original.points } } },
    });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('reverses once when two operators act at the same time', async () => {
    const shopper = await newShopper(world, 5);
    const { id } = await completed(shopper);
    const runs = await Promise.all([1, 2].map(() => admin.script(...command('reverse', id))));

    expect(runs.map(({ status }) => status).sort()).toEqual([0, 1]);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('returns the points of a payment', async () => {
    const shopper = await newShopper(world, 5_000);
    const paid = await completed(shopper, 'redeem');
    const { json } = await admin.script(...command('reverse', paid.uuid));
    await confirm(await transactionOf(json.reversals[0].id), world.platform);

    expect((await accountOf(shopper)).availablePoints).toBe(5_000);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('makes the member owe the points that are already spent', async () => {
    const shopper = await newShopper(world, 0);
    const original = await completed(shopper);
    const spent = original.points - 1;
    await admin.script(
      `member adjust ${shopper.id} --program "Skyline Miles" --points ${-spent} --reason Spent --reference`,
      randomUUID(),
    );
    const { json } = await admin.script(...command('reverse', original.id));
    expect(json.reversals).toMatchObject([{ points: original.points, shortfallPoints: spent }]);
    await confirm(await transactionOf(json.reversals[0].id), world.platform);

    expect(await accountOf(shopper)).toMatchObject({ availablePoints: 0, owedPoints: spent });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it.each(['before', 'after'])('reverses no point twice when a refund arrives %s the reversal', async (when) => {
    const shopper = await newShopper(world, 5);
    const order = `order-${randomUUID()}`;
    const original = await completed(shopper, 'earn', order);
    const body = anOrderBody({
      ...{ user: { merchant_external_id: shopper.externalId }, order_external_id: order },
      ...{ transaction_total: 1_000, transaction_subtotal: 1_000 },
    });
    const sent = await orderOf(world, await postOrder(world, body));
    const confirmAll = async () => {
      const { transactions } = await readBooks(world.table);
      const own = transactions.filter(({ userId, state }) => userId === shopper.id && state === 'PENDING');
      for (const one of own) await confirm(one, world.platform);
    };
    for (const event of await announcementsOf(world, sent.uuid, 'order_received'))
      await settleOrder(event, world.platform);
    const reverse = async () => {
      await admin.script(...command('reverse', original.id));
      await confirmAll();
    };
    if (when === 'after') await reverse();
    await postRefund(world, sent.uuid, { refund_amount: 500, external_refund_id: randomUUID() });
    for (const event of await announcementsOf(world, sent.uuid, 'refund_received'))
      await settleRefund(event, world.platform);
    await confirmAll();
    if (when === 'before') await reverse();

    expect((await transactionOf(original.id)).refunds?.points).toBe(original.points);
    expect(await transactionOf(original.id)).toMatchObject({ state: 'REVERSED' });
    expect((await accountOf(shopper)).availablePoints).toBe(5);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it.each([
    ['rejects', 'COMPLETED', 0.5, 5_400],
    // After an operator's reversal, refunds change the transaction no more.
    ['confirms', 'REVERSED', 0, 0],
  ] as const)(
    'makes a refund of half the order wait until the program %s the reversal',
    async (answer, state, kept, refundedCents) => {
      const shopper = await newShopper(world);
      const order = await processedOrder(world, shopper);
      const [id = 0] = (await world.platform.orders.find(order.uuid))?.transactionIds ?? [];
      await confirm(await transactionOf(id), world.platform);
      const { json } = await admin.script(...command('reverse', id));
      await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount: 5_400 });
      await applyRefunds(world, order);
      const reversal = await transactionOf(json.reversals[0].id);
      if (answer === 'rejects') await reject(reversal, 'no', world.platform);
      else await confirm(reversal, world.platform);
      await applyRefunds(world, order);
      const { transactions } = await readBooks(world.table);
      const open = transactions.filter((one) => one.userId === shopper.id && one.state === 'PENDING');
      for (const one of open) await confirm(one, world.platform);

      const original = await transactionOf(id);
      expect(original).toMatchObject({ state, refunds: { refundedCents, pendingReversals: 0 } });
      const points = kept * original.points;
      expect(await accountOf(shopper)).toMatchObject({ availablePoints: points, heldPoints: 0, owedPoints: 0 });
      expect(await reconcile(world.table)).toEqual([]);
    },
  );

  it('allows another reversal after the program rejects the reversal', async () => {
    const shopper = await newShopper(world, 5);
    const original = await completed(shopper);
    const { json } = await admin.script(...command('reverse', original.id));
    await reject(await transactionOf(json.reversals[0].id), 'no', world.platform);

    const { refunds } = await transactionOf(original.id);
    expect(refunds).toMatchObject({ points: 0, pendingReversals: 0 });
    expect(refunds?.isVoid).toBeUndefined();
    const again = await admin.script(...command('reverse', original.id));
    expect(again.status).toBe(0);
    const explained = await admin.read(`member why ${json.reversals[0].id}`);
    expect(explained.out).toContain(`with transaction ${again.json.reversals[0].id}`);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('refuses a pending transaction, a reversal, and an unknown id', async () => {
    const shopper = await newShopper(world, 5);
    const open = await pending(shopper);
    const original = await completed(shopper);
    const { json } = await admin.script(...command('reverse', original.id));

    for (const [id, message] of [
      [open.id, 'is PENDING: only a COMPLETED transaction can be reversed'],
      [json.reversals[0].id, 'is a reversal of transaction'],
      [12, 'there is no transaction 12'],
    ] as const) {
      expect(await admin.script(...command('reverse', id))).toMatchObject({
        status: 1,
        err: expect.stringContaining(message),
      });
    }
  });
});

describe('the command transaction cancel', () => {
  it('cancels a token and returns the held points', async () => {
    const shopper = await newShopper(world, 5_000);
    const order = randomUUID();
    const asked = { campaignId: world.demo.campaigns.redeem, amount: 10, order };
    const token = await ask(shopper, asked);
    const { heldPoints } = await accountOf(shopper);
    expect(heldPoints).toBeGreaterThan(0);
    const listed = await admin.script(`transaction list --member ${shopper.id} --state INITIATED`);
    const { status, json } = await admin.script(...command('cancel', listed.json.transactions[0].id));

    expect({ status, json }).toEqual({ status: 0, json: { cancelled: [listed.json.transactions[0].id] } });
    expect(await accountOf(shopper)).toMatchObject({ availablePoints: 5_000, heldPoints: 0 });
    expect((await createBy(shopper, token)).status).toBe(400);
    expect((await ask(shopper, asked)).body.data.authentication_status).toBe(1);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('refuses a spent token and says what to do', async () => {
    const shopper = await newShopper(world, 5);
    const [open, done] = [await pending(shopper), await completed(shopper)];

    expect((await admin.script(...command('cancel', open.id))).err).toContain('transaction retry announces it again');
    expect((await admin.script(...command('cancel', done.id))).err).toContain('transaction reverse reverses it');
  });
});

describe('the command transaction retry', () => {
  it('announces a pending transaction again, with an audit row', async () => {
    const shopper = await newShopper(world, 5);
    const open = await pending(shopper);
    const { status, json } = await admin.script(...command('retry', open.id));

    expect({ status, json }).toEqual({ status: 0, json: { retried: [open.id] } });
    const due = (await outboxEvents(world)).filter(
      ({ name, entityId }) => name === 'posting_due' && entityId === open.uuid,
    );
    expect(due).toHaveLength(1);
    expect((await admin.read('audit list')).out).toContain(`let transaction ${open.id}`);
  });

  it('refuses a transaction with a final state', async () => {
    const done = await completed(await newShopper(world, 5));

    expect(await admin.script(...command('retry', done.id))).toMatchObject({
      status: 1,
      err: expect.stringContaining('only one in PENDING or ERROR'),
    });
  });
});
