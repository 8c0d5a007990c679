import { describe, expect, it } from 'vitest';
import { identifyEvent } from '../../shared/payments/platforms.ts';
import { adyenEnvelope, canonicalEnvelope, envelopeText, read, shopifyEnvelope, stripeEvent } from './events.ts';

describe('identifyEvent()', () => {
  it.each([
    ['stripe', 'ed_test_61RewardsExampleDestination', stripeEvent('charge.succeeded', {})],
    ['shopify', 'test-shop.myshopify.com', shopifyEnvelope('orders/paid', '{}')],
    ['adyen', 'TestMerchant', adyenEnvelope({})],
    ['canonical', '7', canonicalEnvelope('payment.completed', {})],
  ])('returns the platform %s and the account %s', (name, account, text) => {
    expect(identifyEvent(text)).toMatchObject({ platform: { name }, account });
  });

  it.each([
    [
      'an event of an unknown source',
      envelopeText('aws.partner/example.com/1', 'x', '{}'),
      'No payment platform has the source aws.partner/example.com/1.',
    ],
    [
      'an event whose source only begins like a platform’s source',
      envelopeText('rewards.payments.other', 'x', '{}'),
      'No payment platform has the source rewards.payments.other.',
    ],
    ['a text that is no JSON', '{"id":', 'The event is no JSON.'],
    ['an array', '[]', 'has to be an object'],
    ['an event without a source', '{"id":"1","detail-type":"x","time":"2026-11-20T10:00:00Z"}', '/source is missing'],
  ])('returns a reason instead of a platform for %s', (_, text, reason) => {
    expect(identifyEvent(text)).toContain(reason);
  });
});

describe('reading an event', () => {
  it('never throws, even for malformed events', () => {
    const details = [
      'null',
      '[]',
      '"text"',
      '1',
      '{}',
      '{"metadata":{}}',
      '{"account":"a","body":{}}',
      '{"object":"v2.core.event"}',
      '{"id":"evt_1","type":"charge.succeeded","created":9007199254740991,"livemode":false,"data":{"object":{}}}',
    ];
    const sources = [
      'aws.partner/stripe.com/ed_1',
      'aws.partner/shopify.com/1/x',
      'rewards.payments',
      'rewards.payments.square',
      'rewards.payments.adyen',
    ];
    for (const source of sources) {
      for (const detail of details) {
        for (const type of ['payment.completed', 'charge.succeeded', 'constructor', '__proto__']) {
          expect(read(envelopeText(source, type, detail)).outcome).toMatch(/^(ignored|malformed)$/);
        }
      }
    }
  });
});
