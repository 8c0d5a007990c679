import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { paymentPosition } from '../../shared/domain/payment/payment-position.ts';
import { isSignedByAdyen } from '../../shared/payments/adyen.ts';
import type { ReadingContext } from '../../shared/payments/platform.ts';
import { bookOf } from '../domain/payment/a-payment.ts';
import { adyenEnvelope, adyenItem, eventsOf, ingressEnvelope, liveMode, read, summarize, testMode } from './events.ts';

const manual: ReadingContext = { ...testMode, capture: 'manual' };
const positionOf = (texts: readonly string[], context = testMode) =>
  paymentPosition(bookOf(...texts.flatMap((text) => eventsOf(text, context))));

const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00+01:00`;
const authorised = adyenEnvelope({});
/** A later event about the payment, with a reference of its own. */
const change = (eventCode: string, pspReference: string, more: object = {}) =>
  adyenEnvelope({ eventCode, pspReference, originalReference: 'PAYMENT1', eventDate: at(5), ...more });
const value = (amount: number) => ({ amount: { value: amount, currency: 'EUR' } });

describe('isSignedByAdyen()', () => {
  /** The vectors of Adyen's own libraries. */
  const vectors = [
    {
      key: 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
      signature: 'xhpHvYq2u2Np0rstbZ6QjLGu7JWhvf7Iwaa6EviJSX0=',
      item: {
        pspReference: 'pspReference',
        originalReference: 'originalReference',
        merchantAccountCode: 'merchantAccount',
        merchantReference: 'reference',
        amount: { value: 1_000, currency: 'EUR' },
        eventCode: 'CAPTURE',
      },
    },
    {
      key: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
      signature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=',
      item: {
        pspReference: '7914073381342284',
        originalReference: '',
        merchantAccountCode: 'TestMerchant',
        merchantReference: 'TestPayment-1407325143704',
        amount: { value: 1_130, currency: 'EUR' },
        eventCode: 'AUTHORISATION',
      },
    },
  ];
  const bodyOf = (...items: object[]) => ({
    live: 'false',
    notificationItems: items.map((item) => ({ NotificationRequestItem: adyenItem(item) })),
  });
  const signed = ({ item, signature }: (typeof vectors)[number], more: object = {}) => ({
    ...item,
    additionalData: { hmacSignature: signature },
    ...more,
  });

  it.each(vectors)('returns true for the signed $item.eventCode of $item.pspReference', (vector) => {
    expect(isSignedByAdyen(bodyOf(signed(vector)), vector.key)).toBe(true);
  });

  it.each([
    ['another amount', { amount: { value: 1_001, currency: 'EUR' } }],
    ['another value of success', { success: 'false' }],
    ['another account', { merchantAccountCode: 'another' }],
    ['no signature', { additionalData: {} }],
    ['a short signature', { additionalData: { hmacSignature: 'xhpH' } }],
  ])('returns false for an item with %s', (_, more) => {
    for (const vector of vectors) expect(isSignedByAdyen(bodyOf(signed(vector, more)), vector.key)).toBe(false);
  });

  it('returns false with another key and with an empty key', () => {
    const [one] = vectors;
    if (!one) throw new Error('there are no vectors');
    const emptyKeySignature = createHmac('sha256', '')
      .update('pspReference:originalReference:merchantAccount:reference:1000:EUR:CAPTURE:true')
      .digest('base64');
    expect(isSignedByAdyen(bodyOf(signed(one)), 'ABCD')).toBe(false);
    expect(isSignedByAdyen(bodyOf({ ...one.item, additionalData: { hmacSignature: emptyKeySignature } }), '')).toBe(
      false,
    );
  });

  it('returns false when an item has no signature, and when there is no item', () => {
    const [one] = vectors;
    if (!one) throw new Error('there are no vectors');
    expect(isSignedByAdyen(bodyOf(signed(one), { additionalData: {} }), one.key)).toBe(false);
    expect(isSignedByAdyen(bodyOf(), one.key)).toBe(false);
    expect(isSignedByAdyen('text', one.key)).toBe(false);
  });
});

describe('a payment at Adyen', () => {
  it('is captured by its authorization when the account captures automatically', () => {
    const text = adyenEnvelope({
      additionalData: {
        shopperReference: 'shopper-1',
        shopperEmail: 'a@example.com',
        'metadata.merchant_external_id': 'm1',
      },
    });
    expect(summarize(read(text))).toEqual([
      'payment.completed PAYMENT1: assumed 10000 EUR/2, eligible 10000 by total, customer shopper-1, member m1, e-mail, order order-1',
    ]);
  });

  it('is captured by its CAPTURE events when the account captures manually', () => {
    const texts = [authorised, change('CAPTURE', 'C1', value(6_000)), change('CAPTURE', 'C2', value(4_000))];
    expect(summarize(read(authorised, manual))).toEqual(['payment.updated PAYMENT1:, order order-1'.replace(',', '')]);
    expect(positionOf([authorised], manual).netEligibleAmount).toBe(0);
    expect(positionOf(texts, manual).netEligibleAmount).toBe(10_000);
    expect(positionOf(texts.slice(0, 2)).netEligibleAmount).toBe(6_000);
  });

  it.each([
    ['is reported first and fails later', change('CAPTURE_FAILED', 'C1', { eventDate: at(9) })],
    ['is refused', change('CAPTURE', 'C1', { success: 'false', eventDate: at(9) })],
  ])('earns nothing when its capture %s, in any sequence of the events', (_, failed) => {
    const captured = change('CAPTURE', 'C1');
    expect(positionOf([authorised, captured, failed]).netEligibleAmount).toBe(0);
    expect(positionOf([failed, captured, authorised]).netEligibleAmount).toBe(0);
  });

  it.each([
    ['CANCELLATION', {}],
    ['TECHNICAL_CANCEL', {}],
    ['CANCEL_OR_REFUND', { additionalData: { 'modification.action': 'cancel' } }],
  ])('earns nothing after %s, in any sequence of the events', (code, more) => {
    const canceled = change(code, 'X1', more);
    expect(positionOf([authorised, canceled]).netEligibleAmount).toBe(0);
    expect(positionOf([canceled, authorised]).netEligibleAmount).toBe(0);
  });

  it('has the result of the event with the latest date', () => {
    const refused = adyenEnvelope({ success: 'false', eventDate: at(1) });
    const accepted = adyenEnvelope({ eventDate: at(2) });
    expect(positionOf([accepted, refused]).netEligibleAmount).toBe(10_000);
    expect(positionOf([refused, accepted]).netEligibleAmount).toBe(10_000);
    expect(positionOf([adyenEnvelope({ success: 'false', eventDate: at(3) }), accepted]).netEligibleAmount).toBe(0);
  });

  it('is ignored when its authorization only checks a card', () => {
    expect(read(adyenEnvelope(value(0))).outcome).toBe('ignored');
  });

  it.each([
    ['JPY', 0],
    ['KWD', 3],
    ['CLP', 2],
    ['ISK', 2],
    ['IDR', 0],
    ['CVE', 0],
  ])('in %s has an amount with %i decimals', (currency, exponent) => {
    expect(positionOf([adyenEnvelope({ amount: { value: 500, currency } })])).toMatchObject({
      currency,
      exponent,
      capturedAmount: 500,
    });
  });
});

describe('a refund at Adyen', () => {
  it('has its own reference, so that several refunds add up', () => {
    const texts = [authorised, change('REFUND', 'R1', value(4_000)), change('REFUND', 'R2', value(4_000))];
    expect(positionOf([...texts, ...texts]).netEligibleAmount).toBe(2_000);
  });

  it.each([
    ['REFUND_FAILED', {}],
    ['REFUNDED_REVERSED', {}],
    ['REFUND', { success: 'false' }],
  ])('stops reducing the payment’s eligible amount once the refund fails with %s', (code, more) => {
    const refund = change('REFUND', 'R1', value(4_000));
    const failed = change(code, 'R1', { ...value(4_000), eventDate: at(9), ...more });
    expect(positionOf([authorised, refund, failed]).netEligibleAmount).toBe(10_000);
    expect(positionOf([failed, refund, authorised]).netEligibleAmount).toBe(10_000);
  });

  it('may arrive as CANCEL_OR_REFUND', () => {
    const refund = (more: object) => change('CANCEL_OR_REFUND', 'R1', more);
    expect(
      positionOf([authorised, refund({ additionalData: { 'modification.action': 'refund' } })]).netEligibleAmount,
    ).toBe(0);
    expect(read(refund({ success: 'false' })).outcome).toBe('ignored');
    expect(read(refund({})).outcome).toBe('malformed');
  });

  it('does not reduce the payment’s eligible amount while the refund is postponed', () => {
    expect(positionOf([authorised, change('POSTPONED_REFUND', 'R1')]).netEligibleAmount).toBe(10_000);
  });

  it('is ignored when it names no payment', () => {
    expect(read(adyenEnvelope({ eventCode: 'REFUND' })).outcome).toBe('ignored');
  });
});

describe('a dispute at Adyen', () => {
  it.each([
    [['REQUEST_FOR_INFORMATION'], 10_000],
    [['NOTIFICATION_OF_CHARGEBACK'], 10_000],
    [['NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK'], 0],
    [['CHARGEBACK', 'CHARGEBACK_REVERSED'], 10_000],
    [['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SECOND_CHARGEBACK'], 0],
    [['CHARGEBACK', 'PREARBITRATION_WON'], 10_000],
    [['CHARGEBACK', 'CHARGEBACK_REVERSED', 'PREARBITRATION_LOST'], 0],
  ])('with the events %j leaves a net amount of %i, in any sequence of the events', (codes, net) => {
    const texts = codes.map((code, position) => change(code, 'D1', { eventDate: at(5 + position) }));
    expect(positionOf([authorised, ...texts]).netEligibleAmount).toBe(net);
    expect(positionOf([...texts.toReversed(), authorised]).netEligibleAmount).toBe(net);
  });

  it('is ignored when it names no payment', () => {
    expect(read(adyenEnvelope({ eventCode: 'CHARGEBACK' })).outcome).toBe('ignored');
  });
});

describe('a webhook of Adyen', () => {
  it('counts only at a stage with the same mode, live or test', () => {
    expect(read(adyenEnvelope({}, 'true')).outcome).toBe('ignored');
    expect(read(adyenEnvelope({}, 'true'), liveMode).outcome).toBe('events');
    expect(read(adyenEnvelope({}), liveMode).outcome).toBe('ignored');
  });

  it('may contain several items', () => {
    const items = [
      {},
      { eventCode: 'REPORT_AVAILABLE' },
      { eventCode: 'REFUND', pspReference: 'R1', originalReference: 'PAYMENT1' },
    ];
    const notificationItems = items.map((item) => ({ NotificationRequestItem: adyenItem(item) }));
    const text = ingressEnvelope('adyen', 'TestMerchant', { live: 'false', notificationItems });
    expect(eventsOf(text).map(({ kind }) => kind)).toEqual(['payment.completed', 'refund.completed']);
  });

  it('is ignored when its event codes move no money', () => {
    expect(read(adyenEnvelope({ eventCode: 'REPORT_AVAILABLE', amount: null }))).toEqual({
      outcome: 'ignored',
      reason: 'Events with the code REPORT_AVAILABLE do not count.',
    });
  });

  it.each([
    [
      'names another account than the account that signed it',
      { merchantAccountCode: 'Other' },
      'The account TestMerchant sent an event of Other.',
    ],
    ['has no amount', { amount: null }, 'AUTHORISATION has no amount.'],
  ])('is malformed when it %s', (_, item, reason) => {
    expect(read(adyenEnvelope(item))).toEqual({ outcome: 'malformed', reason });
  });
});
