import { describe, expect, it } from 'vitest';
import { countingTime, type Payment, receivePayment } from '../../../shared/domain/payment/payment.ts';
import { anEvent, captured } from './a-payment.ts';

const arrival = '2026-11-20T10:00:30.250Z';

/** A payment that was made at `occurredAt`. Its event arrived at `arrival`. */
function paidAt(occurredAt: string): Payment {
  const event = anEvent({ ...captured(10_000), occurredAt });
  return receivePayment([], { event, merchantId: 1, uuid: 'payment-1', hasNewId: true }, new Date(arrival)).payment;
}

describe('countingTime()', () => {
  it.each([
    [
      'the end of the second when the platform reports whole seconds',
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T10:00:00.999Z',
    ],
    ['the millisecond that the platform reports', '2026-11-20T10:00:00.001Z', '2026-11-20T10:00:00.001Z'],
  ])('returns %s', (_title, occurredAt, expected) => {
    expect(countingTime(paidAt(occurredAt), 'live')).toBe(expected);
    expect(countingTime(paidAt(occurredAt), 'test')).toBe(expected);
  });

  it('returns the time of arrival for a test payment of another day', () => {
    expect(countingTime(paidAt('2024-02-29T10:00:00.000Z'), 'test')).toBe(arrival);
    expect(countingTime(paidAt('2024-02-29T10:00:00.000Z'), 'live')).toBe('2024-02-29T10:00:00.999Z');
  });

  it('returns the time that an earlier decision stored', () => {
    const countsAt = '2026-11-20T09:00:00.000Z';
    expect(countingTime({ ...paidAt('2026-11-20T10:00:00.000Z'), countsAt }, 'live')).toBe(countsAt);
  });
});
