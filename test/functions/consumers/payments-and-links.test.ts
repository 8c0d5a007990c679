import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { paymentStatus } from '../../../shared/domain/payment/payment.ts';
import { unlinkAccount } from '../../../shared/operations/connect/unlink-account.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { claimPayments } from '../../../shared/operations/payment/claim-payments.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { PaymentCustomers } from '../../../shared/store/payment/payment-customers.ts';
import { linkCard, openAccount } from '../../support/connect-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { canonicalText, connectAccounts, ingest, paymentOf, settleAnnounced } from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { linkTo } from '../../support/second-program.ts';
import { settlePayment } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const paid = ({ externalId: external_id }: Pick<Shopper, 'externalId'>, detail: object = {}) =>
  canonicalText(world, 'payment.completed', {
    ...{ payment_id: randomUUID(), amount: 10_000, currency: 'USD', customer: { external_id } },
    ...detail,
  });
const keyOf = (paymentId: string) => ({ platform: 'canonical', account: String(world.demo.merchant.id), paymentId });

async function settle(text: string): Promise<void> {
  await ingest(world, text);
  await settleAnnounced(world);
}

async function pointsOf({ id }: Pick<Shopper, 'id'>, partnerId = world.demo.partner.id): Promise<number> {
  const member = await world.platform.members.find(id);
  return member?.memberships.find((one) => one.partnerId === partnerId)?.availablePoints ?? Number.NaN;
}

/** A customer of the merchant without an account of a program. */
async function newCustomer(): Promise<Shopper> {
  const externalId = randomUUID();
  const { demo, platform } = world;
  const merchant = { id: demo.merchant.id, externalId };
  const person = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' };
  const { user } = await createMember({ ...person, merchant }, platform);
  return { id: user.id, uuid: user.uuid, externalId, accessToken: '' };
}

const linked = ({ uuid: entityId }: Shopper): PlatformEvent => ({
  ...{ id: world.platform.nextUuid(), name: 'user_partner_authentication_created', entityId },
  ...{
    occurredAt: world.platform.now().toISOString(),
    merchantId: world.demo.merchant.id,
    partnerId: world.demo.partner.id,
  },
});

describe('a payment before the customer links an account', () => {
  it('earns although claim-payments first runs before the link', async () => {
    const customer = await newCustomer();
    await settle(paid(customer));
    const { platform } = world;
    /** A table whose writes return only after the events that they announced were handled. */
    const table = new Proxy(platform.table, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...all: unknown[]) => {
          const result = await value.apply(target, all);
          if (name === 'write' || name === 'transact') await settleAnnounced(world);
          return result;
        };
      },
    });

    await claimPayments(linked(customer), { ...platform, table, paymentCustomers: new PaymentCustomers(table) });
    await linkTo(world, customer, world.demo.partner.id);
    await claimPayments(linked(customer), platform);
    await settleAnnounced(world);

    expect(await pointsOf(customer)).toBe(200);
  });

  it('earns when the customer links the account while the payment is processed', async () => {
    const customer = await newCustomer();
    const payment_id = randomUUID();
    await ingest(world, paid(customer, { payment_id }));
    const { uuid: entityId } = await paymentOf(world, keyOf(payment_id));
    const { platform, demo } = world;
    class EarlyMembers extends Members {
      #isFirst = true;
      override async find(id: number) {
        const found = await super.find(id);
        if (this.#isFirst) {
          this.#isFirst = false;
          await linkTo(world, customer, demo.partner.id);
          await claimPayments(linked(customer), platform);
        }
        return found;
      }
    }

    await settlePayment({ entityId }, { ...platform, members: new EarlyMembers(platform.table) });

    expect(paymentStatus(await paymentOf(world, keyOf(payment_id)))).toBe('awarded');
    await settleAnnounced(world);
  });
});

describe('a payment of a customer without an account', () => {
  it('earns when the customer links an account that another customer unlinked', async () => {
    const { platform, demo } = world;
    const common = { apiKey: demo.merchant.apiKey, partnerId: demo.partner.id, memberId: randomUUID() };
    await openAccount(world, common.memberId);
    const user = await linkCard({ ...common, user: { external_id: randomUUID() } });
    await unlinkAccount({ userId: user.user_id, partnerId: demo.partner.id, merchantId: demo.merchant.id }, platform);
    const customer = await newCustomer();
    await settle(paid(customer));

    await linkCard({ ...common, user: { external_id: customer.externalId } });
    const events = (await outboxEvents(world)).filter(({ name }) => name === 'user_partner_authentication_created');
    for (const event of events) await claimPayments(PlatformEvent.parse(event), platform);
    await settleAnnounced(world);

    expect(await pointsOf({ id: user.user_id })).toBe(900);
  });
});

describe('a payment that fails after its capture', () => {
  it('reverses the reward of its order', async () => {
    const shopper = await newShopper(world);
    const order_id = randomUUID();
    const payment_id = randomUUID();
    const capture_id = randomUUID();
    await createBy(
      shopper,
      await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 100, order: order_id }),
    );
    await settle(paid(shopper, { order_id, payment_id, capture_id }));
    expect(await pointsOf(shopper)).toBe(200);
    await settle(canonicalText(world, 'payment.failed', { payment_id, capture_id }));
    expect(paymentStatus(await paymentOf(world, keyOf(payment_id)))).toBe('awarded');
    expect(await pointsOf(shopper)).toBe(0);
  });
});

describe('an order of a customer without an account', () => {
  it('counts for nobody, even where a payment of it was cancelled', async () => {
    const order_id = randomUUID();
    const customer = { ...(await newShopper(world)), externalId: 'cc-1002' };
    const cancelled = { payment_id: randomUUID(), capture_id: randomUUID() };
    await settle(paid(customer, { order_id }));
    await settle(paid(customer, { order_id, ...cancelled }));
    await settle(canonicalText(world, 'payment.failed', cancelled));

    const key = { merchantId: world.demo.merchant.id, externalOrderId: order_id };
    const found = await world.platform.payments.findOfOrder(key);
    expect(found.map(({ reason }) => reason).toSorted()).toEqual(['not_captured', 'user_not_linked']);
    expect(found.map(({ spent }) => spent)).toEqual([undefined, undefined]);
  });
});

// These tests come last, because the campaign stays paused.
describe('a payment of a future member', () => {
  async function unclaimed() {
    const [externalId, payment_id] = [randomUUID(), randomUUID()];
    await settle(paid({ externalId }, { payment_id }));
    expect(await paymentOf(world, keyOf(payment_id))).toMatchObject({ reason: 'no_member', awards: [] });
    return { externalId, payment_id };
  }

  /** The customer becomes a member. Returns the member's points. */
  async function pointsAfterLink(externalId: string): Promise<number> {
    const shopper = await newShopper(world, 0, externalId);
    // The second delivery of the event changes nothing.
    for (let time = 0; time < 2; time += 1) await claimPayments(linked(shopper), world.platform);
    await settleAnnounced(world);
    return pointsOf(shopper);
  }

  it('earns once when the member links an account', async () => {
    expect(await pointsAfterLink((await unclaimed()).externalId)).toBe(200);
  });

  it('earns nothing when the campaign is paused before the member links an account', async () => {
    const { externalId, payment_id } = await unclaimed();
    const pause = ['campaign', 'pause', String(world.demo.campaigns.earn), '--as', 'Corner Coffee'] as const;
    expect(await commandLineOf(world.table).script(...pause)).toMatchObject({ status: 0 });

    expect(await pointsAfterLink(externalId)).toBe(0);
    expect((await paymentOf(world, keyOf(payment_id))).awards).toEqual([]);
  });
});
