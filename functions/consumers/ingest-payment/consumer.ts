import * as z from 'zod/mini';
import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { paymentSources } from '../../../shared/contracts/events.ts';

/** The Stripe events that concern payments. Other events of the source do not reach the queue. */
const stripeTypes = ['payment_intent.', 'charge.', 'refund.', 'checkout.session.', 'invoice.paid'];

export const consumer = defineConsumer({
  name: 'ingest-payment',
  source: {
    kind: 'bus',
    pattern: { source: Object.values(paymentSources) },
    partnerPattern: {
      source: [{ prefix: 'aws.partner/stripe.com/' }, { prefix: 'aws.partner/shopify.com/' }],
      'detail-type': [...stripeTypes.map((prefix) => ({ prefix })), 'shopifyWebhook'],
    },
    batchSize: 10,
    retries: 10,
    maxConcurrency: 50,
  },
  // The message stays text, because parsing would round ids over 2^53.
  message: z.string(),
  readsText: true,
  impact: 'Payments, refunds and disputes of payment platforms are not recorded: they earn and reverse nothing.',
  severity: 'page',
  access: {
    table: {
      payment: ['BatchGetItem', 'GetItem', 'PutItem'],
      paymentOrder: ['PutItem'],
      paymentAccount: ['GetItem'],
      paymentReceipt: ['PutItem'],
      platformKey: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
    },
  },
  rejects: true,
});
