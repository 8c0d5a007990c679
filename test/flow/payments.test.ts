import { createHmac, randomUUID } from 'node:crypto';
import { EventBridgeClient, PutEventsCommand, PutPartnerEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainPayment } from '../../shared/operations/payment/find-payment.ts';
import { connectPaymentAccount, linkPaymentCustomer } from '../../shared/operations/payment/manage-payments.ts';
import { cannot, useFlow } from './support/flow.ts';
import { account as accountOf, settleLimitMs } from './support/purchase.ts';

/** Payments through the bus, as the AWS CLI sends them: from the event of a payment platform to the member's points. */

const flow = useFlow();
const source = 'aws.partner/stripe.com/ed_test_RewardsDemo';
const account = `acct_${randomUUID()}`;
let customer: string;
let bus: EventBridgeClient;

beforeAll(async () => {
  if (cannot.reachTable) return;
  const { demo, member, platform } = flow;
  customer = member.stripeCustomer;
  const common = { merchant: String(demo.merchant.id), capture: 'automatic' as const };
  await connectPaymentAccount({ ...common, platform: 'stripe', account }, platform);
  await connectPaymentAccount({ ...common, platform: 'canonical', account: String(demo.merchant.id) }, platform);
  const reference = { id: String(member.id) };
  await linkPaymentCustomer({ platform: 'stripe', account, customerId: customer, member: reference }, platform);
  bus = new EventBridgeClient({ endpoint: flow.aws?.events ?? '' });
});
afterAll(() => bus?.destroy());

/** Sends a Stripe event, as the partner event source of Stripe does. */
async function putStripe(type: string, object: object): Promise<void> {
  const created = Math.floor(Date.now() / 1_000);
  const detail = { id: `evt_${randomUUID()}`, type, created, account, livemode: false, data: { object } };
  const entry = { Source: source, DetailType: type, Detail: JSON.stringify(detail) };
  const { FailedEntryCount } = await bus.send(new PutPartnerEventsCommand({ Entries: [entry] }));
  expect(FailedEntryCount).toBe(0);
}

/** Waits until the balance has grown by `more` points. */
async function points(before: number, more: number): Promise<void> {
  const total = async () => (await accountOf(flow)).total_rewards;
  await expect.poll(total, { timeout: settleLimitMs, interval: 50 }).toBe(before + more);
}

/** What the member has spent at the merchant since the link to the program. */
async function spentCents(): Promise<number> {
  const found = await flow.platform.members.find(flow.member.id);
  return found?.spend.reduce((sum, total) => sum + total.spentCents, 0) ?? 0;
}

/** Waits until the spend has grown by `more` cents. The stream counts a payment after its points. */
async function spend(before: number, more: number): Promise<void> {
  await expect.poll(spentCents, { timeout: settleLimitMs, interval: 50 }).toBe(before + more);
}

describe.skipIf(cannot.reachTable)('events of payment platforms', () => {
  it('award, reverse and restore the points for a Stripe payment', async () => {
    const { total_rewards: before } = await accountOf(flow);
    const spent = await spentCents();
    const [intent, charge] = [`pi_${randomUUID()}`, `ch_${randomUUID()}`];
    const money = { currency: 'usd', customer };
    const payment = { id: intent, amount: 10_000, amount_received: 10_000, latest_charge: charge, ...money };

    await putStripe('payment_intent.succeeded', payment);
    await putStripe('payment_intent.succeeded', payment);
    // Two points per dollar, times 1.5 for gold.
    await points(before, 300);
    const refund = { id: 're_1', payment_intent: intent, charge, amount: 4_000, currency: 'usd' };
    await putStripe('refund.created', { ...refund, status: 'succeeded' });
    await points(before, 180);
    await putStripe('refund.failed', { ...refund, status: 'failed' });
    await points(before, 300);

    const key = { platform: 'stripe', account };
    const { position } = await explainPayment({ id: intent, account: key }, flow.platform);
    expect(position).toMatchObject({ capturedAmount: 10_000, refundedAmount: 0, netEligibleAmount: 10_000 });
    await spend(spent, 10_000);
  });

  it('award points once when Square sends a webhook twice', async () => {
    const { total_rewards: before } = await accountOf(flow);
    const spent = await spentCents();
    const { demo, hosts, platform, member } = flow;
    const merchantId = `M-${randomUUID()}`;
    const settings = { merchant: String(demo.merchant.id), platform: 'square', account: merchantId } as const;
    await connectPaymentAccount({ ...settings, capture: 'automatic', signingKey: 'the key' }, platform);
    const reference = { id: String(member.id) };
    await linkPaymentCustomer(
      { ...settings, account: merchantId, customerId: 'square-1', member: reference },
      platform,
    );
    const url = `${hosts.base}/payments/square/${merchantId}`;
    const money = { amount: 2_000, currency: 'USD' };
    const [id, created_at] = [randomUUID(), new Date().toISOString()];
    const paid = {
      id,
      status: 'COMPLETED',
      customer_id: 'square-1',
      amount_money: money,
      total_money: money,
      created_at,
    };
    const heading = { merchant_id: merchantId, type: 'payment.updated', event_id: randomUUID(), created_at };
    const body = JSON.stringify({ ...heading, data: { object: { payment: paid } } });
    const sendSignedBy = async (key: string) => {
      const signature = createHmac('sha256', key)
        .update(url + body)
        .digest('base64');
      const headers = { 'content-type': 'application/json', 'x-square-hmacsha256-signature': signature };
      const reply = await fetch(url, { method: 'POST', headers, body });
      return [reply.status, await reply.json()];
    };

    expect(await sendSignedBy('another key')).toMatchObject([401, { error: 'invalid_signature' }]);
    expect(await sendSignedBy('the key')).toEqual([200, { notificationResponse: '[accepted]' }]);
    expect(await sendSignedBy('the key')).toEqual([200, { notificationResponse: '[accepted]' }]);
    await points(before, 60);
    await spend(spent, 2_000);
  });

  it('award a payment of the canonical source', async () => {
    const { total_rewards: before } = await accountOf(flow);
    const detail = {
      ...{ merchant_id: flow.demo.merchant.id, event_id: randomUUID(), occurred_at: new Date().toISOString() },
      ...{ payment_id: randomUUID(), amount: 5_000, currency: 'USD' },
      customer: { external_id: flow.member.externalId },
    };
    const entry = { Source: 'rewards.payments', DetailType: 'payment.completed', Detail: JSON.stringify(detail) };

    const spent = await spentCents();
    await bus.send(new PutEventsCommand({ Entries: [{ ...entry, EventBusName: flow.aws?.bus }] }));

    await points(before, 150);
    await spend(spent, 5_000);
  });
});
