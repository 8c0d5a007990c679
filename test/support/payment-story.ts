import type { Payment } from '../../shared/domain/payment/payment.ts';
import { ingestPayment } from '../../shared/operations/payment/ingest-payment.ts';
import { connectPaymentAccount } from '../../shared/operations/payment/manage-payments.ts';
import { comeToRest } from './settle.ts';
import type { World } from './world.ts';

/** The Stripe account of a world's merchant. */
export const stripeAccount = 'ed_test_story';
const stripeSource = `aws.partner/stripe.com/${stripeAccount}`;

/** Connects the payment accounts that payment tests use. They belong to the world's merchant. */
export async function connectAccounts({ platform, demo }: World): Promise<void> {
  const merchant = String(demo.merchant.id);
  const common = { merchant, capture: 'automatic' as const };
  await connectPaymentAccount({ ...common, platform: 'stripe', account: stripeAccount }, platform);
  await connectPaymentAccount({ ...common, platform: 'canonical', account: merchant }, platform);
  await connectPaymentAccount({ ...common, platform: 'shopify', account: 'test-shop.myshopify.com' }, platform);
}

/** A message that the platform rejected. On a stage, it would be in a dead-letter queue. */
export interface Rejected {
  readonly body: string;
  readonly reason: string;
}

/** Ingests the text of an event. Returns the rejected messages. */
export async function ingest({ platform }: Pick<World, 'platform'>, text: string): Promise<Rejected[]> {
  const rejected: Rejected[] = [];
  const deadLetters = {
    add: async (body: string, reason: string) => {
      rejected.push({ body, reason });
    },
  };
  await ingestPayment(text, { ...platform, deadLetters });
  return rejected;
}

/** Settles every announced change of a payment, and every created transaction, until nothing new is announced. */
export const settleAnnounced = (world: World): Promise<void> =>
  comeToRest(world, ['payment_changed', 'purchase_changed', 'transaction_created']);

/** Reads a payment by its id at the payment platform. */
export async function paymentOf({ platform }: World, key: Partial<Payment> & { paymentId: string }): Promise<Payment> {
  const payment = await platform.payments.findById({ platform: 'stripe', account: stripeAccount, ...key });
  if (!payment) throw new Error(`there is no payment ${key.paymentId}`);
  return payment;
}

let events = 0;

/** The text of a Stripe event about an object, at this instant. */
export function stripeText(type: string, object: object, more: object = {}): string {
  events += 1;
  const created = Math.floor(Date.now() / 1_000);
  const detail = { id: `evt_${events}`, type, created, livemode: false, data: { object }, ...more };
  const time = new Date().toISOString();
  return JSON.stringify({ version: '0', id: `e-${events}`, source: stripeSource, 'detail-type': type, time, detail });
}

/** The text of a canonical event of a world's merchant. */
export function canonicalText({ demo }: World, kind: string, detail: object): string {
  events += 1;
  const now = new Date().toISOString();
  const common = { merchant_id: demo.merchant.id, event_id: `event-${events}`, occurred_at: now };
  return JSON.stringify({
    ...{ version: '0', id: `e-${events}`, source: 'rewards.payments', 'detail-type': kind, time: now },
    detail: { ...common, ...detail },
  });
}
