import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimPayments } from '../../../shared/operations/payment/claim-payments.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { connectAccounts, ingest, paymentOf, settleAnnounced, stripeText } from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

/** Payments whose events arrive in any sequence, and payments of customers who become members later. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});

// After all tests: balances, ledger, states, claims and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

async function pointsOf(userId: number): Promise<number> {
  return (await world.platform.members.find(userId))?.memberships[0]?.availablePoints ?? 0;
}

async function deliver(...texts: string[]): Promise<void> {
  for (const text of texts) expect(await ingest(world, text)).toEqual([]);
}

describe('a payment of a future member', () => {
  async function unclaimedPayment() {
    const externalId = randomUUID();
    const id = `pi_${randomUUID()}`;
    const metadata = { merchant_external_id: externalId };
    const money = { amount: 10_000, amount_received: 10_000, currency: 'usd' };
    await deliver(stripeText('payment_intent.succeeded', { id, ...money, metadata }));
    await settleAnnounced(world);
    expect(await paymentOf(world, { paymentId: id })).toMatchObject({ reason: 'no_member', awards: [] });
    return { externalId, id };
  }

  /** Handles the event of a member's link, and all changes that follow from it. */
  async function linked(userUuid: string): Promise<void> {
    const { demo, platform } = world;
    const sides = { merchantId: demo.merchant.id, partnerId: demo.partner.id };
    const event = { id: randomUUID(), name: 'user_partner_authentication_created', occurredAt: '', ...sides } as const;
    // The second delivery of the event changes nothing.
    for (let time = 0; time < 2; time += 1) await claimPayments({ ...event, entityId: userUuid }, platform);
    await settleAnnounced(world);
  }

  it('earns once when the member links an account', async () => {
    const { externalId } = await unclaimedPayment();
    const { id, uuid } = await newShopper(world, 0, externalId);

    await linked(uuid);

    expect(await pointsOf(id)).toBe(200);
    const announced = (await outboxEvents(world)).filter(({ name }) => name === 'payment_changed');
    expect(announced.length).toBeGreaterThan(0);
  });

  // This test comes last, because the campaign stays paused.
  it('earns nothing when the campaign is paused before the member links an account', async () => {
    const { externalId, id: paymentId } = await unclaimedPayment();
    const { id, uuid } = await newShopper(world, 0, externalId);
    const admin = commandLineOf(world.table);
    const campaignId = String(world.demo.campaigns.earn);
    expect(await admin.script('campaign', 'pause', campaignId, '--as', 'Corner Coffee')).toMatchObject({ status: 0 });

    await linked(uuid);

    expect(await pointsOf(id)).toBe(0);
    expect((await paymentOf(world, { paymentId })).awards).toEqual([]);
  });
});
