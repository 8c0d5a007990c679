import { randomUUID } from 'node:crypto';
import { contract as triggerContract } from '../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../functions/base/send-trigger/handler.ts';
import { InternalEvent } from '../../shared/contracts/events.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import { spendOfOrder } from '../../shared/domain/purchase/purchase.ts';
import { processTrigger } from '../../shared/operations/award/process-trigger.ts';
import { indexMember } from '../../shared/operations/member/find-members.ts';
import { createTrigger } from '../../shared/operations/partnership/configure-trigger.ts';
import { linkPaymentCustomer } from '../../shared/operations/payment/manage-payments.ts';
import { call } from './call.ts';
import { runCampaign } from './campaigns.ts';
import { connectStory, openAccount } from './connect-story.ts';
import {
  announcementOf,
  anOrderBody,
  applyRefunds,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
} from './order-story.ts';
import { outboxEvents } from './outbox.ts';
import { ingest, settleAnnounced, stripeAccount, stripeText } from './payment-story.ts';
import { settleOrder } from './settle.ts';
import { ask, createBy, newShopper, type Shopper } from './shoppers.ts';
import type { World } from './world.ts';

/** A person who has used everything that the platform offers. */
export interface Person extends Shopper {
  readonly account: string;
  readonly email: string;
  readonly stripeCustomer: string;
  readonly order: Order;
  /** Texts that identify or describe the person. After an erasure, no item may contain one of them. */
  readonly secrets: readonly string[];
}

const name = { first: 'Wilhelmina', last: 'Fleming' };

/**
 * Plays the life of a person: connects, earns, pays, is refunded, refused and referred. Call `connectAccounts` before.
 */
export async function livePerson(world: World): Promise<Person> {
  const { demo, platform } = world;
  const [account, externalId] = [`acc-${randomUUID()}`, `cust-${randomUUID()}`];
  const [email, stripeCustomer, referrer] = [`mina-${account}@example.org`, `cus_${randomUUID()}`, `ref-${account}`];
  const place = { country: 'US', region: 'NM', city: 'Truth or Consequences' };
  await openAccount(world, account, email);
  await runCampaign(world, { type: 'CONNECT_ONLY', flows: [], goals: [] });
  // The payment belongs to no known member yet, so it waits for the link.
  await pay(world, externalId, null);
  const story = connectStory(() => ({ world, account }));
  const user = {
    ...{ external_id: externalId, email, first_name: name.first, last_name: name.last },
    ...{ phone_number: '+15055550147', referrer_external_id: referrer },
    ...{ location: place, attributes: { employer: ['Harvard Observatory'] } },
  };
  const session = await story.connectToken({ user });
  const { code } = (await story.link(session)).body.data;
  const { access_token: accessToken, user_id: id } = (await story.exchange({ grant_type: 'authorization_code', code }))
    .body;
  await story.link(await story.connectToken({ user }), { proof: '000000' });
  const member = await platform.members.find(id);
  if (!member) throw new Error('the person was not linked');
  const { uuid } = member.user;
  const linked = (await outboxEvents(world)).find(({ entityId }) => entityId === uuid);
  if (linked && 'merchantId' in linked) await indexMember(linked, platform);
  const shopper = { id, uuid, externalId, accessToken };

  const order = await buy(world, shopper);
  await sendEvents(world, shopper);
  await linkPaymentCustomer(
    { member: { id: String(id) }, platform: 'stripe', account: stripeAccount, customerId: stripeCustomer },
    platform,
  );
  await pay(world, externalId, stripeCustomer);
  await createBy(shopper, await ask(shopper, { campaignId: demo.campaigns.redeem, amount: 1 }));
  await ask(shopper, { campaignId: demo.campaigns.redeem, amount: 9_000 });
  await confirmAll(world);
  const secrets = [
    ...[name.first, name.last, email, externalId, stripeCustomer, referrer],
    ...['5055550147', 'Truth or Consequences', 'Harvard', 'Spectrograph', 'comet', 'gift wrap'],
  ];
  return { ...shopper, account, email, stripeCustomer, order, secrets };
}

/** An order with items and attributes, and a refund of part of its amount. */
async function buy(world: World, { externalId }: Shopper): Promise<Order> {
  const body = anOrderBody({
    ...{ user: { merchant_external_id: externalId }, order_external_id: `order-${randomUUID()}` },
    ...{ order_payment_id: `pay-${externalId}`, transaction_context: { wish: ['gift wrap'] } },
    line_items: [{ product_id: 'p-1', product_name: 'Spectrograph', product_price: 10_000 }],
  });
  const posted = await postOrder(world, body);
  const order = await orderOf(world, posted);
  await settleOrder(await announcementOf(world, order), world.platform);
  await confirmAll(world);
  const spent = spendOfOrder(await orderOf(world, posted));
  if (spent) await world.platform.spend.count([spent]);
  await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount: 2_700 });
  await applyRefunds(world, order);
  await confirmAll(world);
  return order;
}

/** An event of the person, and an event of another member who names the person as a friend. */
async function sendEvents(world: World, { externalId }: Shopper): Promise<void> {
  const { demo, platform } = world;
  const referral = await createTrigger(
    demo.partnership,
    {
      ...{ name: `refer-${randomUUID()}`, description: null, event: 'REFERRAL', friendField: 'friend' },
      contextSchema: { fields: { friend: { type: 'string' } }, allowsOtherFields: true },
    },
    platform,
  );
  const friend = await newShopper(world);
  const send = (trigger: string, user: string, context: object) =>
    call(sendTrigger, triggerContract, {
      params: { id: demo.partnership.uuid },
      headers: { 'x-api-key': demo.merchant.apiKey },
      body: { trigger_name: trigger, external_user_id: user, transaction_context: context },
    });
  const sent = [
    await send(demo.trigger.name, externalId, { ...demo.trigger.context, seen: 'a comet' }),
    await send(referral.name, friend.externalId, { friend: externalId }),
  ].map(({ body }) => body.data.trigger_event_id);
  const events = await outboxEvents(world);
  for (const event of events.filter(({ entityId }) => sent.includes(entityId))) {
    await processTrigger(InternalEvent.parse(event), platform);
  }
}

/** Pays by card. The payment contains the id that the merchant uses for the person. */
async function pay(world: World, externalId: string, customer: string | null): Promise<void> {
  const paid = { id: `pi_${randomUUID()}`, amount: 5_000, amount_received: 5_000, currency: 'usd' };
  const metadata = { merchant_external_id: externalId };
  await ingest(world, stripeText('payment_intent.succeeded', { customer, metadata, ...paid }));
  await settleAnnounced(world);
}
