import { describe, expect, it } from 'vitest';
import { paymentPosition } from '../../shared/domain/payment/payment-position.ts';
import { isSignedBySquare } from '../../shared/payments/square.ts';
import { bookOf } from '../domain/payment/a-payment.ts';
import { eventsOf, fixture, ingressEnvelope, liveMode, read, summarize } from './events.ts';

interface Vector {
  readonly name: string;
  readonly body: string;
  readonly signature_key: string;
  readonly notification_url: string;
  readonly signature: string;
  readonly valid: boolean;
}

const usd = (amount: number) => ({ amount, currency: 'USD' });
const payment = {
  id: 'P1',
  status: 'COMPLETED',
  amount_money: usd(10_000),
  total_money: usd(10_000),
  created_at: '2026-11-20T10:00:00.123Z',
};

function squareEvent(type: string, object: object, account = 'M1'): string {
  const body = { merchant_id: 'M1', type, event_id: 'e1', created_at: '2026-11-20T10:00:00Z', data: { object } };
  return ingressEnvelope('square', account, body);
}
const paid = (change: object = {}) => squareEvent('payment.updated', { payment: { ...payment, ...change } });
const positionOf = (...texts: string[]) => paymentPosition(bookOf(...texts.flatMap((text) => eventsOf(text))));

describe('isSignedBySquare()', () => {
  const { vectors } = fixture('square/signature-vectors.json') as { vectors: Vector[] };

  it.each(vectors)(
    'returns $valid for the vector "$name"',
    ({ body, signature_key, notification_url, signature, valid }) => {
      const webhook = { notificationUrl: notification_url, rawBody: body, signature };
      expect(isSignedBySquare(webhook, signature_key)).toBe(valid);
    },
  );

  it.each(['', 'x', 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4'.slice(0, 20)])(
    'returns false for the signature "%s"',
    (signature) => {
      expect(isSignedBySquare({ notificationUrl: 'https://example.com', rawBody: '{}', signature }, 'key')).toBe(false);
    },
  );
});

describe('a payment at Square', () => {
  it.each(['APPROVED', 'PENDING', 'CANCELED', 'FAILED'])('is ignored when it is %s', (status) => {
    expect(read(paid({ status })).outcome).toBe('ignored');
  });

  it('earns on its amount without the tip', () => {
    expect(positionOf(paid({ total_money: usd(12_000), tip_money: usd(2_000) }))).toMatchObject({
      capturedAmount: 12_000,
      netEligibleAmount: 10_000,
      basis: 'partial',
    });
  });

  it('is read with its total of refunds, its customer and its order', () => {
    const text = paid({ refunded_money: usd(4_000), customer_id: 'C1', order_id: 'O1', reference_id: 'order-1' });
    expect(summarize(read(text))).toEqual([
      'payment.completed P1: total 10000 USD/2, eligible 10000 by total, refunded in total 4000 USD/2, customer C1, order order-1',
    ]);
    expect(positionOf(text).netEligibleAmount).toBe(6_000);
  });

  it('has the creation time as its time of payment', () => {
    expect(eventsOf(paid())[0]?.occurredAt).toBe('2026-11-20T10:00:00.123Z');
  });

  it('has an amount without decimals when it is in JPY', () => {
    const jpy = { amount: 1_500, currency: 'JPY' };
    expect(positionOf(paid({ amount_money: jpy, total_money: jpy }))).toMatchObject({ currency: 'JPY', exponent: 0 });
  });

  it('counts at the stage where its account is registered', () => {
    expect(eventsOf(paid(), liveMode)[0]?.livemode).toBe(true);
    expect(eventsOf(paid())[0]?.livemode).toBe(false);
  });
});

describe('a refund at Square', () => {
  const refund = { id: 'R1', payment_id: 'P1', amount_money: usd(4_000), version: 5 };
  const refunded = (change: object) => squareEvent('refund.updated', { refund: { ...refund, ...change } });

  it.each([
    ['PENDING', 10_000],
    ['COMPLETED', 6_000],
    ['REJECTED', 10_000],
    ['FAILED', 10_000],
  ])('leaves a net amount of $1 when its status is $0', (status, net) => {
    expect(positionOf(paid(), refunded({ status })).netEligibleAmount).toBe(net);
  });

  it('has the status of its highest version', () => {
    const texts = [refunded({ status: 'COMPLETED', version: 10 }), refunded({ status: 'FAILED', version: 12 })];
    expect(positionOf(paid(), ...texts).netEligibleAmount).toBe(10_000);
    expect(positionOf(...texts.toReversed(), paid()).netEligibleAmount).toBe(10_000);
    expect(
      positionOf(paid(), refunded({ status: 'COMPLETED', version: 10 }), refunded({ status: 'FAILED' }))
        .netEligibleAmount,
    ).toBe(6_000);
  });

  it.each([
    ['without a payment', { status: 'COMPLETED', payment_id: null }],
    ['with an unknown status', { status: 'PAUSED' }],
  ])('%s is ignored', (_, change) => {
    expect(read(refunded(change)).outcome).toBe('ignored');
  });
});

describe('a dispute at Square', () => {
  const dispute = { id: 'D1', disputed_payment: { payment_id: 'P1' }, amount_money: usd(2_500), version: 1 };
  const disputed = (change: object) => squareEvent('dispute.state.updated', { dispute: { ...dispute, ...change } });

  it.each([
    ['INQUIRY_EVIDENCE_REQUIRED', 10_000],
    ['INQUIRY_PROCESSING', 10_000],
    ['INQUIRY_CLOSED', 10_000],
    ['EVIDENCE_REQUIRED', 7_500],
    ['PROCESSING', 7_500],
    ['LOST', 7_500],
    ['ACCEPTED', 7_500],
    ['WON', 10_000],
  ])('leaves a net amount of $1 in the state $0', (state, net) => {
    expect(positionOf(paid(), disputed({ state })).netEligibleAmount).toBe(net);
  });

  it('has the state of its highest version', () => {
    const texts = [disputed({ state: 'EVIDENCE_REQUIRED' }), disputed({ state: 'WON', version: 6 })];
    expect(positionOf(paid(), ...texts.toReversed()).netEligibleAmount).toBe(10_000);
  });

  it.each([
    ['without a payment', { disputed_payment: null, state: 'WON' }],
    ['in an unknown state', { state: 'PAUSED' }],
  ])('%s is ignored', (_, change) => {
    expect(read(disputed(change)).outcome).toBe('ignored');
  });
});

describe('a webhook of Square', () => {
  it('is malformed when its merchant is not the signing account', () => {
    expect(read(squareEvent('payment.updated', { payment }, 'M2'))).toEqual({
      outcome: 'malformed',
      reason: 'The account M2 sent an event of the merchant M1.',
    });
  });

  it('is malformed when it contains no object', () => {
    expect(read(squareEvent('payment.updated', {})).outcome).toBe('malformed');
  });
});
