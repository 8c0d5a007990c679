import { describe, expect, it } from 'vitest';
import {
  fixture,
  fixturesOf,
  fixtureText,
  ingressEnvelope,
  liveMode,
  read,
  shopifyEnvelope,
  stripeEnvelope,
  stripeEvent,
  summarize,
} from './events.ts';

/** What every recorded file means at a test stage: its payment events in short, or why it is ignored. */
const meanings: Record<string, readonly string[]> = {
  'stripe/assembled/charge.succeeded.jpy.json': [
    'payment.completed ch_1PgafuB7WZ01zgkWXYmPNZs8: total 1500 JPY/0, eligible 1500 by total, customer cus_examplejpy',
  ],
  'stripe/assembled/charge.succeeded.usd.json': [
    'payment.completed ch_1PgafuB7WZ01zgkWXYmPNZs8: total 1099 USD/2, eligible 1099 by total, customer cus_exampleusd',
  ],
  'stripe/eventbridge/charge.succeeded.json': [
    'payment.completed pi_3QSo8A2MCIkaoAFD0eiXamlz ch_3QSo8A2MCIkaoAFD0U2ksilm: total 413 BGN/2, eligible 413 by total, customer cus_RLScrIQ1GDjTpp, e-mail',
  ],
  'stripe/eventbridge/customer.created.sdk-fixture.json': [
    'ignored: Events of the type customer.created do not count.',
  ],
  'stripe/eventbridge/v2-event-notification.sdk-fixture.json': [
    'ignored: A v2 notification names an object without its content.',
  ],
  'stripe/events/charge.captured.json': [
    'payment.completed ch_000000000000000000000000: total 100 USD/2, eligible 100 by total',
  ],
  'stripe/events/charge.dispute.closed.lost.json': [
    'dispute.lost pi_3LpcvEJKGTeo5jKp1hGewAOP ch_3LpDOFJKGTeo5jKp0PfknYNd: dp_1LpcvGJKGTeo5jKpD5M0XnV5 1000 EUR/2',
  ],
  'stripe/events/charge.dispute.closed.won.2013.json': [
    'ignored: The event is about live money, and this is a test stage.',
  ],
  'stripe/events/charge.dispute.closed.won.json': [
    'dispute.won pi_3LpcvEJKGTeo5jKp1hGewAOP ch_3LpDOFJKGTeo5jKp0PfknYNd: dp_1LpcvGJKGTeo5jKpD5M0XnV5 1000 EUR/2',
  ],
  'stripe/events/charge.dispute.created.inquiry.json': [
    'dispute.opened ch_3LpDOFJKGTeo5jKp0PfknYNd: dp_1LpDOGJKGTeo5jKpAs2IGlrp 100 USD/2, inquiry',
  ],
  'stripe/events/charge.dispute.created.json': [
    'dispute.opened ch_000000000000000000000000: dp_000000000000000000000000 100 USD/2, inquiry',
  ],
  'stripe/events/charge.dispute.funds_reinstated.json': [
    'dispute.reinstated ch_00000000000000: dp_00000000000000 25000 USD/2',
  ],
  'stripe/events/charge.dispute.funds_withdrawn.json': [
    'dispute.funds_withdrawn ch_00000000000000: dp_00000000000000 25000 USD/2',
  ],
  'stripe/events/charge.failed.json': ['ignored: The charge failed: no money was taken.'],
  'stripe/events/charge.refund.updated.json': [
    'refund.completed ch_000000000000000000000000: re_000000000000000000000000 100 USD/2',
  ],
  'stripe/events/charge.refunded.json': [
    'refund.completed ch_000000000000000000000000: refunded in total 100 USD/2',
    'refund.completed ch_000000000000000000000000: re_000000000000000000000000 100 USD/2',
  ],
  'stripe/events/charge.succeeded.json': [
    'payment.completed pi_000000000000000000000000 ch_000000000000000000000000: total 2000 USD/2, eligible 2000 by total',
  ],
  'stripe/events/checkout.session.completed.json': [
    'order.completed pi_000000000000000000000000: of 3000 USD/2, eligible 3000, customer cus_00000000000000, e-mail',
    'payment.completed pi_000000000000000000000000: assumed 3000 USD/2, eligible 3000 by subtotal, customer cus_00000000000000, e-mail',
  ],
  'stripe/events/checkout.session.completed.payment_mode.json': [
    'order.completed pi_00000000000000: of 25000 USD/2, eligible 25000, customer cus_00000000000000, e-mail',
    'payment.completed pi_00000000000000: assumed 25000 USD/2, eligible 25000 by subtotal, customer cus_00000000000000, e-mail',
  ],
  'stripe/events/customer.created.json': ['ignored: Events of the type customer.created do not count.'],
  'stripe/events/customer.deleted.json': ['ignored: Events of the type customer.deleted do not count.'],
  'stripe/events/invoice.paid.json': [
    'order.completed pi_000000000000000000000000 ch_000000000000000000000000: of 2000 USD/2, eligible 2000, customer cus_00000000000000',
    'payment.completed pi_000000000000000000000000 ch_000000000000000000000000: assumed 2000 USD/2, eligible 2000 by subtotal, customer cus_00000000000000',
  ],
  'stripe/events/payment_intent.amount_capturable_updated.json': [
    'ignored: The payment is authorized: its capture counts.',
  ],
  'stripe/events/payment_intent.canceled.json': ['ignored: The payment was canceled: no money was taken.'],
  'stripe/events/payment_intent.created.json': ['ignored: Events of the type payment_intent.created do not count.'],
  'stripe/events/payment_intent.payment_failed.json': ['ignored: The payment failed: no money was taken.'],
  'stripe/events/payment_intent.succeeded.json': [
    'payment.completed pi_000000000000000000000000: total 2000 USD/2, eligible 2000 by total',
  ],
  'stripe/events/sync-engine.charge.dispute.created.json': [
    'dispute.opened pi_1IqtG9JDPojXS6LNOGnYrIqq ch_1IqtGAJDPojXS6LNstgEfUji: dp_1MLuxQJDPojXS6LNrukJCBBG 1000 USD/2, inquiry',
  ],
  'stripe/events/sync-engine.charge.refunded.json': [
    'refund.completed pi_3Kl36gJDPojXS6LN02fQVtKR ch_3Kl36gJDPojXS6LN0DCM4A8l: refunded in total 2500 USD/2',
    'refund.completed pi_3Kl36gJDPojXS6LN02fQVtKR ch_3Kl36gJDPojXS6LN0DCM4A8l: re_3Kl36gJDPojXS6LN0eP4yPDz 2500 USD/2',
  ],
  'stripe/events/sync-engine.charge.succeeded.json': [
    'payment.completed pi_3KtQThJDPojXS6LN0H9EfsjV ch_3KtQThJDPojXS6LN0YmgbxGj: total 3000 USD/2, eligible 3000 by total, customer cus_J7Mkgr8mvbl1eK',
  ],
  'stripe/events/sync-engine.checkout.session.completed.json': [
    'ignored: The event is about live money, and this is a test stage.',
  ],
  'stripe/events/sync-engine.credit_note.created.json': [
    'ignored: A credit note moves no money: the refund that pays it counts.',
  ],
  'stripe/events/sync-engine.refund.created.json': [
    'refund.completed pi_1GszsK2eZvKYlo2CfhZyoZLp ch_1NirD82eZvKYlo2CIvbtLWuY: re_1Nispe2eZvKYlo2Cd31jOCgZ 1000 USD/2',
  ],
  'stripe/events/sync-engine.refund.updated.json': [
    'refund.completed pi_1GszsK2eZvKYlo2CfhZyoZLp ch_1NirD82eZvKYlo2CIvbtLWuY: re_1Nispe2eZvKYlo2Cd31jOCgZ 1000 USD/2',
  ],
  'stripe/objects/balance_transaction.json': ['ignored: Events of the type balance.available do not count.'],
  'stripe/objects/charge.json': ['ignored: The charge is not captured.'],
  'stripe/objects/checkout.session.json': ['ignored: The session has no total yet.'],
  'stripe/objects/credit_note.json': ['ignored: A credit note moves no money: the refund that pays it counts.'],
  'stripe/objects/customer.json': ['ignored: Events of the type customer.created do not count.'],
  'stripe/objects/dispute.json': [
    'dispute.opened ch_1PgafuB7WZ01zgkWXYmPNZs8: dp_1Pgc71B7WZ01zgkWMevJiAUx 1000 USD/2, inquiry',
  ],
  'stripe/objects/event.json': ['ignored: Events of the type plan.created do not count.'],
  'stripe/objects/line_item.json': ['ignored: Events of the type invoiceitem.created do not count.'],
  'stripe/objects/payment_intent.json': ['ignored: The payment has received no money.'],
  'stripe/objects/payment_link.json': ['ignored: Events of the type payment_link.created do not count.'],
  'stripe/objects/refund.json': ['refund.completed ch_1PgafuB7WZ01zgkWXYmPNZs8: re_1Pgc72B7WZ01zgkWqPvrRrPE 100 USD/2'],
  'stripe/objects/terminal.refund.json': ['ignored: Events of the type terminal.reader.action_succeeded do not count.'],
  'shopify/eventbridge/order-update.access-denied.json': [
    "ignored: Shopify did not give the order to the app. Approve the app's access to protected customer data.",
  ],
  'shopify/eventbridge/order-update.events-preview.json': [
    'ignored: Events of the preview name no captured amount. Subscribe to the webhook topics orders/paid and refunds/create.',
  ],
  'shopify/eventbridge/products-update.json': ['ignored: Webhooks of the topic products/update do not count.'],
  'shopify/objects/order.paid.discount.json': [
    'payment.completed 1073459981: total 18109 USD/2, eligible 18109 by subtotal, customer 1073339475, e-mail, order 1073459981',
  ],
  'shopify/objects/order.paid.eur.guest.json': [
    'payment.completed 1073459976: total 23847 EUR/2, eligible 22497 by subtotal, order 1073459976',
  ],
  'shopify/objects/order.paid.guest.json': [
    'payment.completed 1073459963: total 27037 USD/2, eligible 25592 by subtotal, order 1073459963',
  ],
  'shopify/objects/order.partially_paid.json': ['ignored: The order is partially_paid, not paid.'],
  'shopify/objects/order.partially_refunded.json': [
    'payment.completed 450789469: total 59894 USD/2, eligible 59700 by subtotal, customer 207119551, e-mail, order 450789469',
    'refund.completed 450789469: 179259969 20900 USD/2',
  ],
  'shopify/objects/order.pending.json': ['ignored: The order is pending, not paid.'],
  'shopify/objects/order.refunded.json': [
    'payment.completed 450789469: total 59894 USD/2, eligible 59700 by subtotal, customer 207119551, e-mail, order 450789469',
    'refund.completed 450789469: 1068278491 1000 USD/2',
  ],
  'shopify/objects/refund.amount-only.json': ['refund.completed 450789469: 1068278526 4194 USD/2'],
  'shopify/objects/refund.calculate.json': ['ignored: The refund returned no money.'],
  'shopify/objects/refund.line-items.json': ['refund.completed 450789469: 179259969 20900 USD/2'],
  'shopify/objects/refund.shipping-only.json': ['refund.completed 450789469: 1068278525 500 USD/2'],
  'shopify/webhooks/orders-cancelled.sample.json': ['ignored: The order is voided, not paid.'],
  'shopify/webhooks/orders-create.aud.json': [
    'payment.completed 2998557704341: total 5945 AUD/2, eligible 4495 by subtotal, customer 4206822293653, e-mail, order 2998557704341',
  ],
  'shopify/webhooks/orders-create.multi-currency.json': [
    'payment.completed 2998548365461: total 6033 AUD/2, eligible 4562 by subtotal, presented 4585 USD/2, customer 4206822293653, e-mail, order 2998548365461',
  ],
  'shopify/webhooks/orders-create.sample-2019.json': ['ignored: The order is voided, not paid.'],
  'shopify/webhooks/orders-paid.guest.json': [
    'payment.completed 5324830114101: total 262995 USD/2, eligible 262995 by subtotal, order 5324830114101',
  ],
  'square/events/customer.created.json': ['ignored: Events of the type customer.created do not count.'],
  'square/events/customer.deleted.json': ['ignored: Events of the type customer.deleted do not count.'],
  'square/events/customer.updated.json': ['ignored: Events of the type customer.updated do not count.'],
  'square/events/dispute.created.json': [
    'dispute.funds_withdrawn fbmsaEOpoARDKxiSGH1fqPuqoqFZY: ORSEVtZAJxb37RA1EiGw 8801 USD/2',
  ],
  'square/events/dispute.state.changed.json': [
    'dispute.won fbmsaEOpoARDKxiSGH1fqPuqoqFZY: ORSEVtZAJxb37RA1EiGw 8801 USD/2',
  ],
  'square/events/dispute.state.updated.json': [
    'dispute.won fbmsaEOpoARDKxiSGH1fqPuqoqFZY: ORSEVtZAJxb37RA1EiGw 8801 USD/2',
  ],
  'square/events/gift_card.activity.created.json': [
    'ignored: Events of the type gift_card.activity.created do not count.',
  ],
  'square/events/invoice.payment_made.json': ['ignored: Events of the type invoice.payment_made do not count.'],
  'square/events/invoice.refunded.json': ['ignored: Events of the type invoice.refunded do not count.'],
  'square/events/loyalty.account.created.json': ['ignored: Events of the type loyalty.account.created do not count.'],
  'square/events/loyalty.account.deleted.json': ['ignored: Events of the type loyalty.account.deleted do not count.'],
  'square/events/loyalty.account.updated.json': ['ignored: Events of the type loyalty.account.updated do not count.'],
  'square/events/loyalty.event.created.json': ['ignored: Events of the type loyalty.event.created do not count.'],
  'square/events/loyalty.program.created.json': ['ignored: Events of the type loyalty.program.created do not count.'],
  'square/events/loyalty.program.updated.json': ['ignored: Events of the type loyalty.program.updated do not count.'],
  'square/events/loyalty.promotion.created.json': [
    'ignored: Events of the type loyalty.promotion.created do not count.',
  ],
  'square/events/loyalty.promotion.updated.json': [
    'ignored: Events of the type loyalty.promotion.updated do not count.',
  ],
  'square/events/order.created.json': ['ignored: The event names an order without its amounts: its payment counts.'],
  'square/events/order.fulfillment.updated.json': [
    'ignored: The event names an order without its amounts: its payment counts.',
  ],
  'square/events/order.updated.json': ['ignored: The event names an order without its amounts: its payment counts.'],
  'square/events/payment.created.json': ['ignored: The payment is APPROVED, not COMPLETED.'],
  'square/events/payment.updated.json': [
    'payment.completed hYy9pRFVxpDsO1FB05SunFWUe9JZY: total 100 USD/2, eligible 100 by total, order 03O3USaPaAaFnI6kkwB1JxGgBsUZY',
  ],
  'square/events/refund.created.json': [
    'refund.pending KkAkhdMsgzn59SM8A89WgKwekxLZY: KkAkhdMsgzn59SM8A89WgKwekxLZY_ptNBVqHYxt5gAdfcobBe4u1AZsXhoz06KTtuq9Ls24P 1000 USD/2',
  ],
  'square/events/refund.updated.json': [
    'refund.completed KkAkhdMsgzn59SM8A89WgKwekxLZY: KkAkhdMsgzn59SM8A89WgKwekxLZY_ptNBVqHYxt5gAdfcobBe4u1AZsXhoz06KTtuq9Ls24P 1000 USD/2',
  ],
};

/** Files that are not one event: sequences and signature vectors. arrival.test.ts and square.test.ts read them. */
const others = [
  'stripe/assembled/delivery-scenarios.json',
  'stripe/assembled/two-partial-refunds.events.json',
  'square/signature-vectors.json',
];

/** The event type under which Stripe would report an object of stripe/objects. */
const typesOfObjects: Record<string, string> = {
  balance_transaction: 'balance.available',
  charge: 'charge.succeeded',
  'checkout.session': 'checkout.session.completed',
  credit_note: 'credit_note.created',
  customer: 'customer.created',
  dispute: 'charge.dispute.created',
  line_item: 'invoiceitem.created',
  payment_intent: 'payment_intent.succeeded',
  payment_link: 'payment_link.created',
  refund: 'refund.created',
  'terminal.refund': 'terminal.reader.action_succeeded',
};

/** The file as its payment platform would deliver it. */
function deliveryOf(path: string): string {
  const recorded = fixture(path);
  if (recorded.detail !== undefined) return fixtureText(path);
  const [platform, , file = ''] = path.split('/');
  if (platform === 'square') return ingressEnvelope('square', recorded.merchant_id, recorded);
  if (platform === 'shopify') return shopifyEnvelope(topicOf(file), fixtureText(path));
  const type = typesOfObjects[file.replace('.json', '')];
  return type ? stripeEvent(type, recorded) : stripeEnvelope(recorded);
}

function topicOf(file: string): string {
  const [name = ''] = file.split('.');
  if (name.startsWith('orders-')) return name.replace('-', '/');
  return name === 'order' ? 'orders/updated' : 'refunds/create';
}

describe('the recorded events', () => {
  it('all have a row in the table of meanings', () => {
    const files = ['stripe', 'shopify', 'square'].flatMap(fixturesOf);
    expect([...Object.keys(meanings), ...others].toSorted()).toEqual(files.toSorted());
  });

  it.each(Object.keys(meanings))('include %s, which has the meaning in the table', (path) => {
    expect(summarize(read(deliveryOf(path)))).toEqual(meanings[path]);
  });

  it.each([
    [
      'stripe/events/charge.dispute.closed.won.2013.json',
      ['dispute.won ch_zitkxbhds3zqlt: ch_zitkxbhds3zqlt 1000 USD/2'],
    ],
    [
      'stripe/events/sync-engine.checkout.session.completed.json',
      [
        'order.completed pi_1IqxJOJDPojXS6LN9uOebAea: of 999 EUR/2, eligible 934, customer cus_IhGfebO16cMIGN, e-mail',
        'payment.completed pi_1IqxJOJDPojXS6LN9uOebAea: assumed 999 EUR/2, eligible 934 by subtotal, customer cus_IhGfebO16cMIGN, e-mail',
      ],
    ],
  ])('include %s, which counts at a live stage', (path, meaning) => {
    expect(summarize(read(deliveryOf(path), liveMode))).toEqual(meaning);
  });

  it('are ignored at a live stage when they are in test mode', () => {
    const stripe = Object.keys(meanings).filter((path) => path.startsWith('stripe/'));
    const counted = stripe.filter((path) => read(deliveryOf(path), liveMode).outcome === 'events');
    expect(counted).toEqual([
      'stripe/events/charge.dispute.closed.won.2013.json',
      'stripe/events/sync-engine.checkout.session.completed.json',
    ]);
  });
});
