import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paymentPosition } from '../../../shared/domain/payment/payment-position.ts';
import { claimPayments } from '../../../shared/operations/payment/claim-payments.ts';
import { linkPaymentCustomer } from '../../../shared/operations/payment/manage-payments.ts';
import { fixtureText } from '../../payments/events.ts';
import { fc } from '../../support/fast-check.ts';
import { outboxEvents } from '../../support/outbox.ts';
import {
  connectAccounts,
  ingest,
  paymentOf,
  settleAnnounced,
  stripeAccount,
  stripeText,
} from '../../support/payment-story.ts';
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

/** The recorded events of a payment of $100 and its two refunds of $40. The ids are new; the customer is replaced. */
function recordedEvents(customer: string): string[] {
  const { events } = JSON.parse(fixtureText('stripe/assembled/two-partial-refunds.events.json'));
  const suffix = randomUUID().slice(0, 8);
  return events.map((event: object) =>
    JSON.stringify(event)
      .replaceAll(/"((?:pi|ch|re|evt)_\w+)"/g, `"$1${suffix}"`)
      .replaceAll(/ed_test_61RewardsExampleDestination/g, stripeAccount)
      .replaceAll('"customer":null', `"customer":"${customer}"`),
  );
}

/** Ways to report a change again: the same envelope, a new envelope, or another event about the same change. */
const repeats: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/"id":"[^"]+"/, '"id":"second"'),
  (text) => text.replace(/"id":"[^"]+"/, '"id":"second"').replaceAll(/"evt_\w+"/g, '"evt_second"'),
];

describe('recorded events of a payment', () => {
  it('give the same points in any sequence, even when repeated', async () => {
    const plan = fc.record({
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      again: fc.array(fc.record({ at: fc.nat({ max: 5 }), how: fc.nat({ max: 2 }) }), { maxLength: 6 }),
      settlesAfter: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ order, again, settlesAfter }) => {
        const shopper = await newShopper(world);
        const customerId = `cus_${shopper.externalId}`;
        const link = { platform: 'stripe', account: stripeAccount, customerId, member: { id: String(shopper.id) } };
        await linkPaymentCustomer(link, world.platform);
        const texts = recordedEvents(customerId);
        const deliveries = [
          ...order.map((at) => texts[at] ?? ''),
          ...again.map(({ at, how }) => (repeats[how] ?? String)(texts[at] ?? '')),
        ];
        for (const [at, text] of deliveries.entries()) {
          await deliver(text);
          if (settlesAfter.includes(at)) await settleAnnounced(world);
        }
        await settleAnnounced(world);

        expect(await pointsOf(shopper.id)).toBe(40);
        const [, paymentId = ''] = /"(pi_\w+)"/.exec(texts[0] ?? '') ?? [];
        const { book } = await paymentOf(world, { paymentId });
        expect(paymentPosition(book)).toMatchObject({ capturedAmount: 10_000, refundedAmount: 8_000 });
      }),
      { numRuns: 12 },
    );
  });
});

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
