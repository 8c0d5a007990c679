import { describe, expect, it } from 'vitest';
import { paymentPosition } from '../../shared/domain/payment/payment-position.ts';
import { bookOf } from '../domain/payment/a-payment.ts';
import { canonicalEnvelope, envelopeText, eventsOf, liveMode, read, summarize } from './events.ts';

const positionOf = (...texts: string[]) => paymentPosition(bookOf(...texts.flatMap((text) => eventsOf(text))));
const paid = (more: object = {}) =>
  canonicalEnvelope('payment.completed', { amount: 10_000, currency: 'USD', ...more });
const refund = (kind: string, more: object = {}) =>
  canonicalEnvelope(`refund.${kind}`, { refund_id: 'r1', amount: 4_000, currency: 'USD', ...more });
const dispute = (kind: string, more: object = {}) =>
  canonicalEnvelope(`dispute.${kind}`, { dispute_id: 'd1', amount: 10_000, currency: 'USD', ...more });

describe('a payment of the canonical source', () => {
  it('has all references and amounts of its event', () => {
    const text = paid({
      order_id: 'order-1',
      customer: { id: 'c1', external_id: 'member-1', email: 'ann@example.com' },
      eligible_amount: 9_000,
      refunded_total: 1_000,
    });
    expect(eventsOf(text)).toMatchObject([
      { platform: 'canonical', account: '7', eventId: 'event-1', livemode: false },
    ]);
    expect(summarize(read(text))).toEqual([
      'payment.completed pay-1: total 10000 USD/2, eligible 9000 by subtotal, refunded in total 1000 USD/2, customer c1, member member-1, e-mail, order order-1',
    ]);
  });

  it('is captured as a running total or in parts', () => {
    expect(positionOf(paid({ amount: 4_000 }), paid()).capturedAmount).toBe(10_000);
    expect(positionOf(paid({ capture_id: 'a', amount: 4_000 }), paid({ capture_id: 'b' })).capturedAmount).toBe(14_000);
  });

  it('does not count a capture that failed', () => {
    const failed = canonicalEnvelope('payment.failed', { capture_id: 'b' });
    const parts = [paid({ capture_id: 'a', amount: 4_000 }), paid({ capture_id: 'b' })];
    expect(positionOf(...parts, failed).capturedAmount).toBe(4_000);
  });

  it('gets its customer from a later event', () => {
    const named = canonicalEnvelope('payment.updated', { customer: { external_id: 'member-1' } });
    expect(bookOf(...eventsOf(paid()), ...eventsOf(named)).merchantExternalIds).toEqual(['member-1']);
  });

  it('gets its eligible amount from its order’s event', () => {
    const order = (more: object = {}) =>
      canonicalEnvelope('order.completed', { currency: 'USD', total_amount: 10_000, subtotal_amount: 9_000, ...more });
    expect(positionOf(paid(), order({ discount_amount: 1_000, tax_amount: 2_000 })).netEligibleAmount).toBe(8_000);
    expect(positionOf(paid(), order({ subtotal_amount: 12_000 })).netEligibleAmount).toBe(10_000);
    expect(read(order({ discount_amount: 9_001 })).outcome).toBe('malformed');
  });

  it('is ignored at a stage of the other mode, live or test', () => {
    expect(eventsOf(paid(), liveMode)[0]?.livemode).toBe(true);
    expect(read(paid({ livemode: false }), liveMode).outcome).toBe('ignored');
    expect(read(paid({ livemode: true })).outcome).toBe('ignored');
    expect(read(paid({ livemode: false })).outcome).toBe('events');
  });

  it.each([
    ['JPY', 0],
    ['KWD', 3],
    ['ISK', 0],
  ])('in %s has the %i decimals of ISO 4217', (currency, exponent) => {
    expect(positionOf(paid({ currency }))).toMatchObject({ currency, exponent, capturedAmount: 10_000 });
  });
});

describe('refunds of the canonical source', () => {
  it.each([
    { kind: 'pending', net: 10_000 },
    { kind: 'completed', net: 6_000 },
    { kind: 'failed', net: 10_000 },
  ])('leave a net amount of $net after the event refund.$kind', ({ kind, net }) => {
    expect(positionOf(paid(), refund(kind)).netEligibleAmount).toBe(net);
  });

  it('may be running totals', () => {
    const total = canonicalEnvelope('refund.completed', { currency: 'USD', refunded_total: 3_000 });
    expect(positionOf(paid(), total).netEligibleAmount).toBe(7_000);
  });

  it('have the status of their highest version', () => {
    const texts = [refund('failed', { version: 1 }), refund('completed', { version: 2 })];
    expect(positionOf(paid(), ...texts.toReversed()).netEligibleAmount).toBe(6_000);
  });

  it.each([
    ['an id only', { refund_id: 'r1' }],
    ['an amount only', { amount: 4_000 }],
    ['neither an id nor an amount', {}],
  ])('are malformed when they have %s', (_, fields) => {
    expect(read(canonicalEnvelope('refund.completed', { currency: 'USD', ...fields }))).toEqual({
      outcome: 'malformed',
      reason: 'detail needs refund_id and amount, or refunded_total.',
    });
  });
});

describe('disputes of the canonical source', () => {
  it.each([
    ['opened', {}, 10_000],
    ['opened', { inquiry: true }, 10_000],
    ['funds_withdrawn', {}, 0],
    ['reinstated', {}, 10_000],
    ['won', {}, 10_000],
    ['lost', {}, 0],
    ['lost', { amount: 2_500 }, 7_500],
  ])('leave a net amount of $2 after the event dispute.$0 with $1', (kind, more, net) => {
    expect(positionOf(paid(), dispute(kind, more)).netEligibleAmount).toBe(net);
  });
});

describe('an event of the canonical source', () => {
  it('is ignored when its kind is unknown', () => {
    expect(read(canonicalEnvelope('payment.imagined', {})).outcome).toBe('ignored');
  });

  it.each([
    ['an unknown field', paid({ amout: 1 }), '/amout is not known here'],
    ['no amount', canonicalEnvelope('payment.completed', { currency: 'USD' }), 'detail/amount is missing'],
    ['half a cent', paid({ amount: 0.5 }), 'detail/amount has to be a whole number'],
    ['an amount below zero', paid({ amount: -1 }), 'detail/amount has to be at least 0'],
    [
      'an amount over 2^53',
      envelopeText('rewards.payments', 'payment.completed', '{"merchant_id":7,"amount":9007199254740993}'),
      'detail/amount has to be a number',
    ],
    [
      'a larger eligible amount than the paid amount',
      paid({ eligible_amount: 10_001 }),
      'earns on more than was captured',
    ],
    ['no merchant', paid({ merchant_id: undefined }), 'detail/merchant_id is missing'],
    ['no time', paid({ occurred_at: 'yesterday' }), 'detail/occurred_at'],
    ['a payment id with spaces', paid({ payment_id: 'a b' }), 'detail/payment_id has to be printable ASCII'],
  ])('is malformed when it has %s, and the reason names the fault', (_, text, reason) => {
    expect(read(text)).toEqual({ outcome: 'malformed', reason: expect.stringContaining(reason) });
  });
});
