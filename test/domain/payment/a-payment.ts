import type * as z from 'zod/mini';
import { type Money, moneyOf } from '../../../shared/domain/payment/money.ts';
import { applyPaymentEvent, emptyPaymentBook, type PaymentBook } from '../../../shared/domain/payment/payment-book.ts';
import { PaymentEvent } from '../../../shared/domain/payment/payment-event.ts';

type Input = z.input<typeof PaymentEvent>;
type Part<Kind> = Extract<Input, { kind: Kind }>;

const common = {
  platform: 'stripe',
  account: 'ed_1',
  livemode: false,
  eventId: 'evt_1',
  changeId: 'change',
  paymentId: 'pi_1',
  occurredAt: '2026-11-20T10:00:00.000Z',
};

export const usd = (amount: number): Money => moneyOf(amount, 'USD');

/** A payment event as the schema completes it. */
export function anEvent(event: Record<string, unknown>): PaymentEvent {
  return PaymentEvent.parse({ ...common, ...event });
}

/** A capture of an amount in USD, all of which may earn. */
export function captured(amount: number, capture: Partial<Part<'payment.completed'>['capture']> = {}): PaymentEvent {
  const all = { id: 'ch_1', extent: 'total', money: usd(amount), eligible: amount, basis: 'total' };
  return anEvent({ kind: 'payment.completed', capture: { ...all, ...capture } });
}

export function captureFailed(id: string, version = 0): PaymentEvent {
  return anEvent({ kind: 'payment.failed', capture: { id, version } });
}

export function refunded(
  id: string,
  amount: number,
  { stage = 'completed', version = 0, currency = 'USD' } = {},
): PaymentEvent {
  return anEvent({ kind: `refund.${stage}`, refund: { id, money: moneyOf(amount, currency), version } });
}

export function refundedInTotal(amount: number, currency = 'USD'): PaymentEvent {
  return anEvent({ kind: 'refund.completed', refundedTotal: moneyOf(amount, currency) });
}

export function disputed(
  stage: string,
  amount: number,
  { id = 'dp_1', isInquiry = false, version = 0, currency = 'USD' } = {},
): PaymentEvent {
  return anEvent({ kind: `dispute.${stage}`, dispute: { id, money: moneyOf(amount, currency), isInquiry, version } });
}

export function ordered(
  total: number,
  eligible: number,
  occurredAt = common.occurredAt,
  currency = 'USD',
): PaymentEvent {
  return anEvent({ kind: 'order.completed', order: { total: moneyOf(total, currency), eligible }, occurredAt });
}

/** The book after some events. */
export function bookOf(...events: readonly PaymentEvent[]): PaymentBook {
  return events.reduce(applyPaymentEvent, emptyPaymentBook);
}
