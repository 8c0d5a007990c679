import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { isGenuine, keyOfSecret, secretOfKey, standardHeaders } from '../../shared/webhooks/standard-webhooks.ts';

const key = Buffer.from('a key of thirty-two bytes, more or less');
const other = Buffer.from('another key');
const body = '{"type":"balance.changed"}';
const now = new Date();
const headers = standardHeaders({ id: 'message-1', body, signedAt: now }, [key]);

describe('a signed message', () => {
  it('is verified by a library of Standard Webhooks', () => {
    expect(new Webhook(secretOfKey(key)).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('is genuine when one of several keys or signatures matches', () => {
    expect(isGenuine(headers, body, { keys: [other, key], now })).toBe(true);
    const twice = standardHeaders({ id: 'message-1', body, signedAt: now }, [other, key]);
    expect(isGenuine(twice, body, { keys: [key], now })).toBe(true);
  });

  it.each([
    ['another body', headers, `${body} `],
    ['another id', { ...headers, 'webhook-id': 'message-2' }, body],
    ['another time', { ...headers, 'webhook-timestamp': String(Math.floor(now.getTime() / 1000) + 1) }, body],
    ['a time that is no number', { ...headers, 'webhook-timestamp': 'now' }, body],
    ['no signature', { ...headers, 'webhook-signature': '' }, body],
    ['another signature', { ...headers, 'webhook-signature': 'v1,AAAA' }, body],
    ['no headers', {}, body],
  ])('is not genuine with %s', (_case, given: Record<string, string>, text) => {
    expect(isGenuine(given, text, { keys: [key], now })).toBe(false);
  });

  it('is not genuine for another key', () => {
    expect(isGenuine(headers, body, { keys: [other], now })).toBe(false);
  });

  it.each([
    [299_000, true],
    [-299_000, true],
    [302_000, false],
    [-302_000, false],
  ])('gets the answer $1 from isGenuine() at an age of $0 ms', (ageMs, expected) => {
    expect(isGenuine(headers, body, { keys: [key], now: new Date(now.getTime() + ageMs) })).toBe(expected);
  });
});

it('keyOfSecret() returns the key of a secret, and throws for a malformed secret', () => {
  expect(keyOfSecret(secretOfKey(key))).toEqual(key);
  for (const text of ['', 'whsec_', 'secret', 'whsec_*']) expect(() => keyOfSecret(text)).toThrow(RangeError);
});
