import { describe, expect, it } from 'vitest';
import { paymentPosition } from '../../shared/domain/payment/payment-position.ts';
import { bookOf } from '../domain/payment/a-payment.ts';
import { envelopeText, eventsOf, liveMode, read, stripeEvent, summarize, testMode } from './events.ts';

const charge = {
  id: 'ch_1',
  amount: 10_000,
  amount_captured: 10_000,
  amount_refunded: 0,
  captured: true,
  currency: 'usd',
  payment_intent: 'pi_1',
  status: 'succeeded',
};
const intent = { id: 'pi_1', amount: 10_000, amount_received: 10_000, currency: 'usd', latest_charge: 'ch_1' };
const session = {
  id: 'cs_1',
  amount_subtotal: 10_000,
  amount_total: 12_000,
  currency: 'usd',
  payment_intent: 'pi_1',
  payment_status: 'paid',
  total_details: { amount_discount: 1_000, amount_shipping: 1_000, amount_tax: 2_000 },
};

const meaningOf = (type: string, object: object) => summarize(read(stripeEvent(type, object)));
const positionOf = (...texts: string[]) => paymentPosition(bookOf(...texts.flatMap((text) => eventsOf(text))));

describe('a payment at Stripe', () => {
  it('is counted once when several events report it', () => {
    const texts = [
      stripeEvent('payment_intent.succeeded', intent),
      stripeEvent('charge.succeeded', charge),
      stripeEvent('charge.updated', charge),
      stripeEvent('checkout.session.completed', { ...session, amount_total: 10_000, total_details: null }),
      stripeEvent('invoice.paid', {
        id: 'in_1',
        amount_paid: 10_000,
        total: 10_000,
        currency: 'usd',
        payment_intent: 'pi_1',
      }),
    ];
    expect(positionOf(...texts)).toMatchObject({ capturedAmount: 10_000, netEligibleAmount: 10_000, faults: [] });
  });

  it('has the id of its charge when it has no PaymentIntent', () => {
    expect(eventsOf(stripeEvent('charge.succeeded', { ...charge, payment_intent: null }))).toMatchObject([
      { paymentId: 'ch_1', aliases: [] },
    ]);
  });

  it('earns nothing until its capture when it is only authorized', () => {
    const authorized = { ...charge, captured: false, amount_captured: 0 };
    expect(meaningOf('charge.succeeded', authorized)).toEqual(['ignored: The charge is not captured.']);
    expect(positionOf(stripeEvent('charge.captured', charge)).capturedAmount).toBe(10_000);
  });

  it('has the highest captured total when it is captured in parts', () => {
    const part = stripeEvent('charge.captured', { ...charge, amount_captured: 4_000 });
    const rest = stripeEvent('charge.updated', { ...charge, amount_captured: 9_000 });
    expect(positionOf(rest, part).capturedAmount).toBe(9_000);
  });

  it('has the references of its customer, its member and its order', () => {
    const metadata = { merchant_external_id: 'member-1', order_id: 'order-1' };
    const [event] = eventsOf(
      stripeEvent('payment_intent.succeeded', {
        ...intent,
        customer: 'cus_1',
        metadata,
        receipt_email: ' Ann@Example.com',
      }),
    );
    expect(event).toMatchObject({
      customer: {
        platformCustomerId: 'cus_1',
        merchantExternalId: 'member-1',
        emailHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      orderExternalId: 'order-1',
    });
    const [same] = eventsOf(
      stripeEvent('charge.succeeded', { ...charge, billing_details: { email: 'ann@example.com' } }),
    );
    expect(same?.customer.emailHash).toBe(event?.customer.emailHash);
    const other = { ...testMode, emailKey: 'key of another stage' };
    const [foreign] = eventsOf(stripeEvent('charge.succeeded', { ...charge, receipt_email: 'ann@example.com' }), other);
    expect(foreign?.customer.emailHash).not.toBe(event?.customer.emailHash);
  });

  it('earns on its total without tip and tax', () => {
    const details = { tip: { amount: 1_000 }, tax: { total_tax_amount: 500 }, shipping: {} };
    expect(positionOf(stripeEvent('payment_intent.succeeded', { ...intent, amount_details: details }))).toMatchObject({
      netEligibleAmount: 8_500,
      basis: 'partial',
    });
    const half = { ...intent, amount_received: 5_000, amount_details: details };
    expect(positionOf(stripeEvent('payment_intent.succeeded', half)).netEligibleAmount).toBe(4_250);
  });
});

describe('a checkout session', () => {
  it("excludes tax and shipping from its payment's eligible amount", () => {
    const paid = stripeEvent('payment_intent.succeeded', { ...intent, amount: 12_000, amount_received: 12_000 });
    expect(positionOf(stripeEvent('checkout.session.completed', session), paid)).toMatchObject({
      capturedAmount: 12_000,
      netEligibleAmount: 9_000,
      basis: 'subtotal',
    });
  });

  it('counts as the payment when no event of the payment arrives', () => {
    expect(positionOf(stripeEvent('checkout.session.completed', session)).netEligibleAmount).toBe(9_000);
  });

  it('earns nothing while it is not paid', () => {
    const unpaid = stripeEvent('checkout.session.completed', { ...session, payment_status: 'unpaid' });
    expect(positionOf(unpaid).netEligibleAmount).toBe(0);
    const later = stripeEvent('checkout.session.async_payment_succeeded', session);
    expect(positionOf(unpaid, later).netEligibleAmount).toBe(9_000);
  });

  it.each([
    ['of a subscription', { payment_intent: null }],
    ['of a set-up', { payment_intent: null, payment_status: 'no_payment_required' }],
    ['without a total', { amount_total: null }],
  ])('is ignored: a session %s', (_, change) => {
    expect(read(stripeEvent('checkout.session.completed', { ...session, ...change })).outcome).toBe('ignored');
  });
});

describe('an invoice', () => {
  const invoice = { id: 'in_1', amount_paid: 12_000, total: 12_000, currency: 'usd', payment_intent: 'pi_1' };

  it.each([
    ['tax', { tax: 2_000 }],
    ['total_excluding_tax', { total_excluding_tax: 10_000 }],
    ['total_tax_amounts', { total_tax_amounts: [{ amount: 1_500 }, { amount: 500 }] }],
    ['total_taxes', { total_taxes: [{ amount: 2_000 }] }],
  ])('earns on its total without the tax of the field %s', (_, tax) => {
    expect(positionOf(stripeEvent('invoice.paid', { ...invoice, ...tax })).netEligibleAmount).toBe(10_000);
  });

  it('earns in proportion when the customer’s balance paid a part', () => {
    const text = stripeEvent('invoice.paid', { ...invoice, amount_paid: 6_000, tax: 2_000 });
    expect(positionOf(text)).toMatchObject({ capturedAmount: 6_000, netEligibleAmount: 5_000 });
  });

  it.each([
    ['that names no payment', { payment_intent: null }],
    ['for which nothing was paid', { amount_paid: 0 }],
  ])('is ignored: an invoice %s', (_, change) => {
    expect(read(stripeEvent('invoice.paid', { ...invoice, ...change })).outcome).toBe('ignored');
  });
});

describe('a refund at Stripe', () => {
  const refund = { id: 're_1', amount: 4_000, currency: 'usd', charge: 'ch_1', payment_intent: 'pi_1' };

  it.each([
    ['succeeded', 'refund.completed'],
    ['pending', 'refund.pending'],
    ['requires_action', 'refund.pending'],
    ['failed', 'refund.failed'],
    ['canceled', 'refund.failed'],
  ])('is read as $1 when its status is $0', (status, kind) => {
    expect(meaningOf('refund.updated', { ...refund, status })).toEqual([`${kind} pi_1 ch_1: re_1 4000 USD/2`]);
  });

  it.each([
    ['without a status', {}],
    ['with an unknown status', { status: 'paused' }],
    ['of a balance', { status: 'succeeded', charge: null, payment_intent: null }],
  ])('is ignored: a refund %s', (_, change) => {
    expect(read(stripeEvent('refund.created', { ...refund, ...change })).outcome).toBe('ignored');
  });

  it('does not count when it fails, even if charge.refunded included it', () => {
    const texts = [
      stripeEvent('payment_intent.succeeded', intent),
      stripeEvent('refund.created', { ...refund, status: 'succeeded' }),
      stripeEvent('charge.refunded', { ...charge, amount_refunded: 4_000 }),
      stripeEvent('refund.failed', { ...refund, status: 'failed' }),
    ];
    expect(positionOf(...texts).netEligibleAmount).toBe(10_000);
    expect(positionOf(...texts.toReversed()).netEligibleAmount).toBe(10_000);
  });
});

describe('a dispute at Stripe', () => {
  const dispute = { id: 'dp_1', amount: 10_000, currency: 'usd', charge: 'ch_1', payment_intent: 'pi_1' };
  const event = (type: string, status: string, more = {}) =>
    stripeEvent(`charge.dispute.${type}`, { ...dispute, status, ...more });
  const netAfter = (...texts: string[]) =>
    positionOf(stripeEvent('payment_intent.succeeded', intent), ...texts).netEligibleAmount;

  it.each([
    ['created', 'warning_needs_response', 10_000],
    ['updated', 'warning_under_review', 10_000],
    ['closed', 'warning_closed', 10_000],
    ['closed', 'prevented', 10_000],
    ['created', 'needs_response', 10_000],
    ['updated', 'under_review', 10_000],
    ['funds_withdrawn', 'needs_response', 0],
    ['funds_withdrawn', 'lost', 0],
    ['created', 'lost', 0],
    ['closed', 'lost', 0],
    ['closed', 'won', 10_000],
    ['funds_reinstated', 'won', 10_000],
  ])('leaves a net amount of $2 after charge.dispute.$0 with the status $1', (type, status, net) => {
    expect(netAfter(event(type, status))).toBe(net);
  });

  it('leaves nothing when its first event withdraws the money', () => {
    const balance_transactions = [{ amount: -10_000 }];
    expect(netAfter(event('created', 'needs_response', { balance_transactions }))).toBe(0);
    expect(netAfter(event('created', 'warning_needs_response', { balance_transactions: [] }))).toBe(10_000);
  });

  it.each([
    ['won', 10_000],
    ['lost', 0],
  ])('leaves a net amount of $1 when it is $0, in any sequence of its events', (status, net) => {
    const texts = [
      event('created', 'needs_response'),
      event('funds_withdrawn', 'needs_response'),
      event('updated', 'under_review'),
      event('closed', status),
      ...(status === 'won' ? [event('funds_reinstated', 'won')] : []),
    ];
    for (const order of permutations(texts)) expect(netAfter(...order)).toBe(net);
  });
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe('an amount at Stripe', () => {
  it.each([
    ['usd', 1_099, 'USD', 2],
    ['jpy', 1_500, 'JPY', 0],
    ['kwd', 1_230, 'KWD', 3],
    ['huf', 10_000, 'HUF', 2],
    ['isk', 500, 'ISK', 2],
    ['ugx', 500, 'UGX', 2],
    ['mga', 500, 'MGA', 0],
  ])('keeps its minor units in the currency %s', (currency, amount, code, exponent) => {
    expect(eventsOf(stripeEvent('charge.succeeded', { ...charge, amount_captured: amount, currency }))).toMatchObject([
      { capture: { money: { amount, currency: code, exponent } } },
    ]);
  });
});

describe('an event of Stripe', () => {
  const event = (livemode: boolean, ofObject: boolean) =>
    stripeEvent('charge.succeeded', { ...charge, livemode: ofObject }, { livemode });

  it.each([
    [true, true, 'ignored', 'events'],
    [true, false, 'events', 'ignored'],
    [false, true, 'events', 'ignored'],
    [false, false, 'events', 'ignored'],
  ])('has the outcome "$2" at a test stage and "$3" at a live stage: livemode $0, in its object $1', (...row) => {
    const [livemode, ofObject, atTest, atLive] = row;
    expect(read(event(livemode, ofObject), testMode).outcome).toBe(atTest);
    expect(read(event(livemode, ofObject), liveMode).outcome).toBe(atLive);
  });
});

describe("a Stripe event's payment account", () => {
  it('is the event destination, unless the event names an account', () => {
    expect(eventsOf(stripeEvent('charge.succeeded', charge))[0]?.account).toBe('ed_test_61RewardsExampleDestination');
    expect(eventsOf(stripeEvent('charge.succeeded', charge, { account: 'acct_1' }))[0]?.account).toBe('acct_1');
  });
});

describe('a malformed event of Stripe', () => {
  it.each([
    [
      'without an object',
      envelopeText('aws.partner/stripe.com/ed_1', 'charge.succeeded', '{"id":"evt_1"}'),
      'detail/type is missing',
    ],
    [
      'without a detail',
      envelopeText('aws.partner/stripe.com/ed_1', 'charge.succeeded', 'null'),
      'detail has to be an object',
    ],
    [
      'with a text as amount',
      stripeEvent('charge.succeeded', { ...charge, amount_captured: '10' }),
      'charge/amount_captured',
    ],
    [
      'with an amount below zero',
      stripeEvent('charge.succeeded', { ...charge, amount_captured: -1 }),
      '/0/capture/money/amount has to be at least 0',
    ],
    [
      'with an unknown form of currency',
      stripeEvent('charge.succeeded', { ...charge, currency: 'dollar' }),
      '/0/capture/money/currency',
    ],
    [
      'with an id that cannot be a key',
      stripeEvent('charge.succeeded', { ...charge, id: '__proto__', payment_intent: null }),
      '/0/',
    ],
  ])('is refused with a reason that names the fault: an event %s', (_, text, reason) => {
    expect(read(text)).toEqual({ outcome: 'malformed', reason: expect.stringContaining(reason) });
  });

  it('is refused when envelope and detail have different types', () => {
    const detail = { id: 'evt_1', type: 'charge.failed', created: 1, livemode: false, data: { object: {} } };
    const text = envelopeText('aws.partner/stripe.com/ed_1', 'charge.succeeded', JSON.stringify(detail));
    expect(read(text)).toEqual({
      outcome: 'malformed',
      reason: 'detail-type is charge.succeeded, but detail/type is charge.failed.',
    });
  });
});
