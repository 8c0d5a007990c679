import { describe, expect, it } from 'vitest';
import { paymentPosition } from '../../shared/domain/payment/payment-position.ts';
import { bookOf } from '../domain/payment/a-payment.ts';
import { eventsOf, fixture, fixtureText, liveMode, read, shopifyEnvelope, summarize } from './events.ts';

const order = {
  id: 450_789_469,
  created_at: '2026-11-20T09:00:00-05:00',
  processed_at: '2026-11-20T08:59:00-05:00',
  currency: 'USD',
  financial_status: 'paid',
  subtotal_price: '100.00',
  total_price: '110.00',
  total_tax: '10.00',
  taxes_included: false,
  line_items: [{ price: '100.00', quantity: 1 }],
};

const paid = (change: object = {}) => shopifyEnvelope('orders/paid', JSON.stringify({ ...order, ...change }));
const positionOf = (...texts: string[]) => paymentPosition(bookOf(...texts.flatMap((text) => eventsOf(text))));

describe('an order at Shopify', () => {
  it.each([
    ['its subtotal when tax is not included', {}, 10_000],
    ['its subtotal less the included tax', { taxes_included: true, subtotal_price: '110.00' }, 10_000],
    [
      'its subtotal less the included tax of goods, when shipping is taxed too',
      {
        taxes_included: true,
        subtotal_price: '110.00',
        total_price: '121.00',
        total_tax: '11.00',
        shipping_lines: [{ tax_lines: [{ price: '1.00' }] }],
      },
      10_000,
    ],
    [
      'its subtotal less the discounted price of gift cards',
      {
        line_items: [
          { price: '70.00', quantity: 1 },
          { price: '20.00', quantity: 2, gift_card: true, discount_allocations: [{ amount: '10.00' }] },
        ],
      },
      7_000,
    ],
    ['its total when the subtotal is higher', { subtotal_price: '130.00' }, 11_000],
  ])('has an eligible amount that is %s', (_, change, eligible) => {
    expect(positionOf(paid(change)).netEligibleAmount).toBe(eligible);
  });

  it.each(['pending', 'authorized', 'partially_paid', 'voided', 'expired', null])(
    'is ignored when its financial status is %s',
    (state) => {
      expect(read(paid({ financial_status: state })).outcome).toBe('ignored');
    },
  );

  it.each(['orders/paid', 'orders/create', 'orders/updated', 'orders/cancelled'])(
    'counts once when it is reported by orders/paid and by %s',
    (topic) => {
      const text = shopifyEnvelope(topic, JSON.stringify(order));
      expect(positionOf(paid(), text)).toMatchObject({ capturedAmount: 11_000, faults: [] });
    },
  );

  it('has the time of its processing as the time of payment', () => {
    expect(eventsOf(paid())[0]?.occurredAt).toBe('2026-11-20T13:59:00.000Z');
  });

  it('is read with the ids of its customer, its member and its order', () => {
    const change = {
      customer: { id: 115, email: 'ann@example.com' },
      email: '',
      note_attributes: [{ name: 'merchant_external_id', value: 'member-1' }],
    };
    expect(eventsOf(paid(change))).toMatchObject([
      {
        account: 'test-shop.myshopify.com',
        eventId: 'f267a21b-b283-58e6-923a-0f3be44ce67c',
        customer: { platformCustomerId: '115', merchantExternalId: 'member-1', emailHash: expect.any(String) },
        orderExternalId: '450789469',
      },
    ]);
  });

  it('counts only at a test stage when it is marked as a test', () => {
    expect(read(paid({ test: true })).outcome).toBe('events');
    expect(read(paid({ test: true }), liveMode).outcome).toBe('ignored');
    expect(read(paid(), liveMode).outcome).toBe('events');
  });

  it.each([
    ['JPY', '1500', 1_500],
    ['JPY', '1500.00', 1_500],
    ['KWD', '1.234', 1_234],
  ])('has an exact amount in minor units when its total is %s %s', (currency, price, amount) => {
    const change = { currency, total_price: price, subtotal_price: price, total_tax: '0', line_items: [] };
    expect(positionOf(paid(change))).toMatchObject({ currency, capturedAmount: amount });
  });

  it.each([
    ['JPY', '1500.50'],
    ['USD', '1.005'],
    ['USD', '-1.00'],
  ])('is malformed when its total is %s %s', (currency, total_price) => {
    expect(read(paid({ currency, total_price }))).toEqual({
      outcome: 'malformed',
      reason: `${total_price} is no amount of ${currency}.`,
    });
  });
});

describe('numbers over 2^53', () => {
  const big = '820982911946154508';
  const customer = '115310627314723954';
  const saleText = fixtureText('shopify/webhooks/orders-cancelled.sample.json').replace('"voided"', '"paid"');
  const refundText = JSON.stringify(fixture('shopify/objects/refund.line-items.json')).replaceAll('450789469', big);

  it('keep every digit when they are ids', () => {
    const [sale] = eventsOf(shopifyEnvelope('orders/paid', saleText));
    const [refund] = eventsOf(shopifyEnvelope('refunds/create', refundText));
    expect(sale).toMatchObject({ paymentId: big, customer: { platformCustomerId: customer } });
    expect(refund?.paymentId).toBe(big);
  });

  it('are not changed inside a string', () => {
    const text = paid({ note_attributes: [{ name: 'merchant_external_id', value: `"${big}" \\ ${big}` }] });
    expect(eventsOf(text)[0]?.customer.merchantExternalId).toBe(`"${big}" \\ ${big}`);
  });

  it('make an event malformed when they are amounts, and are never rounded', () => {
    const text = shopifyEnvelope('orders/paid', JSON.stringify(order).replace('"110.00"', '90071992547409921'));
    expect(read(text).outcome).toBe('malformed');
  });
});

describe('a refund at Shopify', () => {
  const transaction = { id: 1, kind: 'refund', status: 'success', amount: '40.00', currency: 'USD' };
  const refund = (change: object = {}, more: object = {}) =>
    shopifyEnvelope(
      'refunds/create',
      JSON.stringify({ order_id: order.id, transactions: [{ ...transaction, ...change }], ...more }),
    );

  it('has the amount of its transactions, not of its line items', () => {
    const lines = { refund_line_items: [{ subtotal: 399.29 }] };
    expect(positionOf(paid(), refund({}, lines)).refundedAmount).toBe(4_000);
  });

  it.each([
    ['success', 'refund.completed'],
    ['pending', 'refund.pending'],
    ['failure', 'refund.failed'],
    ['error', 'refund.failed'],
  ])('is read as $1 when its transaction has the status $0', (status, kind) => {
    expect(summarize(read(refund({ status })))).toEqual([`${kind} 450789469: 1 4000 USD/2`]);
  });

  it('counts once when refunds/create, order_transactions/create and the order report it', () => {
    const alone = shopifyEnvelope('order_transactions/create', JSON.stringify({ ...transaction, order_id: order.id }));
    const inOrder = shopifyEnvelope(
      'orders/updated',
      JSON.stringify({ ...order, financial_status: 'partially_refunded', refunds: [{ transactions: [transaction] }] }),
    );
    expect(positionOf(inOrder, refund(), alone)).toMatchObject({ refundedAmount: 4_000, faults: [] });
  });

  it.each([
    ['has no transactions', { transactions: [] }],
    ['is only suggested', { transactions: [{ ...transaction, kind: 'suggested_refund' }] }],
  ])('is ignored when it %s', (_, change) => {
    expect(read(refund({}, change)).outcome).toBe('ignored');
  });

  it('counts only at a test stage when its transactions are tests', () => {
    expect(read(refund({ test: true }), liveMode).outcome).toBe('ignored');
    expect(read(refund({ test: true })).outcome).toBe('events');
  });

  it('is malformed when it names no order', () => {
    expect(read(refund({}, { order_id: null })).outcome).toBe('malformed');
  });

  it("is converted from the customer's currency to the shop's currency", () => {
    const sale = shopifyEnvelope('orders/paid', fixtureText('shopify/webhooks/orders-create.multi-currency.json'));
    const returned = (amount: string) =>
      shopifyEnvelope(
        'refunds/create',
        JSON.stringify({ order_id: 2_998_548_365_461, transactions: [{ ...transaction, amount }] }),
      );
    expect(positionOf(sale)).toMatchObject({ currency: 'AUD', capturedAmount: 6_033, netEligibleAmount: 4_562 });
    expect(positionOf(sale, returned('45.85'))).toMatchObject({ netEligibleAmount: 0, faults: [] });
    expect(positionOf(sale, returned('20.00')).netEligibleAmount).toBe(2_572);
  });
});

describe('a dispute at Shopify', () => {
  const dispute = { id: 35_982_383, order_id: order.id, type: 'chargeback', amount: '110.00', currency: 'USD' };
  const disputed = (change: object) => shopifyEnvelope('disputes/update', JSON.stringify({ ...dispute, ...change }));

  it.each([
    ['chargeback', 'needs_response', 0],
    ['chargeback', 'under_review', 0],
    ['chargeback', 'lost', 0],
    ['chargeback', 'accepted', 0],
    ['chargeback', 'won', 10_000],
    ['chargeback', 'charge_refunded', 10_000],
    ['inquiry', 'needs_response', 10_000],
    ['inquiry', 'lost', 10_000],
  ])('leaves a net amount of $2 when its type is $0 and its status $1', (type, status, net) => {
    expect(positionOf(paid(), disputed({ type, status })).netEligibleAmount).toBe(net);
  });

  it('leaves no net amount when it changes from inquiry to chargeback', () => {
    const texts = [disputed({ type: 'inquiry', status: 'needs_response' }), disputed({ status: 'needs_response' })];
    expect(positionOf(paid(), ...texts).netEligibleAmount).toBe(0);
    expect(positionOf(paid(), ...texts.toReversed()).netEligibleAmount).toBe(0);
  });

  it('is ignored when it names no order', () => {
    expect(read(disputed({ order_id: null, status: 'won' })).outcome).toBe('ignored');
  });
});

describe('a webhook of Shopify', () => {
  it('has the same event id as its repetitions', () => {
    const headers = { 'X-Shopify-Webhook-Id': undefined, 'X-Shopify-Event-Id': 'a2533945-511e-45bb-a0fa-1dba0ad9ecb1' };
    const text = shopifyEnvelope('orders/paid', JSON.stringify(order), headers);
    expect(eventsOf(text)[0]?.eventId).toBe('a2533945-511e-45bb-a0fa-1dba0ad9ecb1');
  });

  it('is malformed when it names no shop', () => {
    const text = shopifyEnvelope('orders/paid', JSON.stringify(order), { 'X-Shopify-Shop-Domain': undefined });
    expect(read(text)).toEqual({ outcome: 'malformed', reason: 'detail/metadata names no shop domain.' });
  });
});
