import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { applyPaymentEvent, emptyPaymentBook, type PaymentBook } from '../../shared/domain/payment/payment-book.ts';
import type { PaymentEvent } from '../../shared/domain/payment/payment-event.ts';
import { paymentPosition } from '../../shared/domain/payment/payment-position.ts';
import { fc } from '../support/fast-check.ts';
import { eventsOf, fixture } from './events.ts';

/** A recorded EventBridge event of Stripe. */
interface Delivery {
  readonly id: string;
  readonly detail: { readonly id: string };
}

const { events: deliveries, expected_final: expected } = fixture(
  'stripe/assembled/two-partial-refunds.events.json',
) as {
  events: Delivery[];
  expected_final: { captured: number; refunded: number; net: number; refunds: { id: string; amount: number }[] };
};

const read = (delivery: Delivery) => eventsOf(JSON.stringify(delivery));
const applyAll = (book: PaymentBook, events: readonly PaymentEvent[]) => events.reduce(applyPaymentEvent, book);

/** The three ways in which a delivery may be repeated. */
const repeats: Record<string, (delivery: Delivery) => Delivery> = {
  'with the same envelope': (delivery) => delivery,
  'with a new envelope id': (delivery) => ({ ...delivery, id: 'second' }),
  'with a new envelope id and a new event id': (delivery) => ({
    ...delivery,
    id: 'second',
    detail: { ...delivery.detail, id: 'evt_second' },
  }),
};

const inOrder = applyAll(emptyPaymentBook, deliveries.flatMap(read));

describe('a payment with two refunds', () => {
  it('has the recorded amounts after its events arrived in order', () => {
    expect(paymentPosition(inOrder)).toMatchObject({
      currency: 'USD',
      capturedAmount: expected.captured,
      refundedAmount: expected.refunded,
      netEligibleAmount: expected.net,
      faults: [],
    });
    expect(Object.entries(inOrder.refunds).map(([id, { money }]) => ({ id, amount: money.amount }))).toEqual(
      expected.refunds,
    );
  });

  it.each(Object.entries(repeats))(
    'ends in the same state in every order when events are repeated at once %s',
    (_, repeat) => {
      const first = deliveries.map(read);
      const second = deliveries.map((delivery) => read(repeat(delivery)));
      let ends = 0;
      // Each step of the walk delivers one more event, once or twice: 6! sequences, each with 2^6 subsets of repeated
      // events.
      const walk = (book: PaymentBook, left: readonly number[]) => {
        if (left.length === 0) {
          ends += 1;
          if (!isDeepStrictEqual(book, inOrder)) expect(book).toEqual(inOrder);
          return;
        }
        for (const at of left) {
          const once = applyAll(book, first[at] ?? []);
          const rest = left.filter((other) => other !== at);
          walk(once, rest);
          walk(applyAll(once, second[at] ?? []), rest);
        }
      };
      walk(emptyPaymentBook, [...deliveries.keys()]);
      expect(ends).toBe(720 * 64);
      // At the end, every event is delivered again, and changes nothing.
      for (const events of second) expect(applyAll(inOrder, events)).toBe(inOrder);
    },
    60_000,
  );

  it('ends in the same state when events and repetitions arrive in random order', () => {
    const all = deliveries.flatMap((delivery) => [
      delivery,
      ...Object.values(repeats).map((repeat) => repeat(delivery)),
    ]);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(applyAll(emptyPaymentBook, shuffled.flatMap(read))).toEqual(inOrder);
      }),
      { numRuns: 500 },
    );
  });
});

interface Scenario {
  readonly name: string;
  readonly deliver: readonly number[];
  readonly rewrite_on_repeat?: readonly ('id' | 'detail.id')[];
  readonly expected_final: { readonly captured: number; readonly refunded: number; readonly net: number };
}

describe('a payment reaches its expected amounts in the scenario', () => {
  const { scenarios } = fixture('stripe/assembled/delivery-scenarios.json') as { scenarios: Scenario[] };

  it.each(scenarios)('$name', ({ deliver, rewrite_on_repeat: rewritten = [], expected_final: end }) => {
    const seen = new Set<number>();
    const delivered = deliver.flatMap((at) => {
      const delivery = deliveries[at];
      if (!delivery) throw new Error(`there is no event ${at}`);
      const isRepeat = seen.has(at);
      seen.add(at);
      const id = isRepeat && rewritten.includes('id') ? 'second' : delivery.id;
      const eventId = isRepeat && rewritten.includes('detail.id') ? 'evt_second' : delivery.detail.id;
      return [{ ...delivery, id, detail: { ...delivery.detail, id: eventId } }];
    });
    const position = paymentPosition(applyAll(emptyPaymentBook, delivered.flatMap(read)));
    expect(position).toMatchObject({
      capturedAmount: end.captured,
      refundedAmount: end.refunded,
      netEligibleAmount: end.net,
    });
  });
});

describe('an event’s change id', () => {
  const [payment] = deliveries;

  it.each(Object.entries(repeats))('stays the same in a repetition %s', (_, repeat) => {
    if (!payment) throw new Error('there are no events');
    expect(read(repeat(payment)).map(({ changeId }) => changeId)).toEqual(
      read(payment).map(({ changeId }) => changeId),
    );
  });

  it('differs between any two events of one payment', () => {
    const changes = deliveries.flatMap(read).map(({ changeId }) => changeId);
    expect(new Set(changes).size).toBe(deliveries.length);
  });
});

/** The steps of a payment's history: each is a refund, or the failure of an earlier refund. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('refund' as const), amount: fc.integer({ min: 1, max: 4_000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), at: fc.nat({ max: 5 }) }) },
  ),
  { maxLength: 6 },
);

describe('any history of a Stripe payment', () => {
  it('counts exactly the refunds that succeeded', () => {
    const capturedAmount = 10_000;
    fc.assert(
      fc.property(
        steps
          .map((history) => historyOf(history, capturedAmount))
          .chain(({ texts, refunded }) =>
            fc.tuple(fc.constant(refunded), fc.shuffledSubarray([...texts, ...texts], { minLength: 2 * texts.length })),
          ),
        ([refunded, texts]) => {
          const book = applyAll(
            emptyPaymentBook,
            texts.flatMap((text) => eventsOf(text)),
          );
          expect(paymentPosition(book)).toMatchObject({
            capturedAmount,
            refundedAmount: refunded,
            netEligibleAmount: capturedAmount - refunded,
          });
        },
      ),
      { numRuns: 500 },
    );
  });
});

type Step = { readonly kind: 'refund'; readonly amount: number } | { readonly kind: 'fail'; readonly at: number };

/** The events that Stripe sends for a history, and the amount that is refunded in the end. */
function historyOf(history: readonly Step[], captured: number): { texts: string[]; refunded: number } {
  const charge = { id: 'ch_1', payment_intent: 'pi_1', currency: 'usd', amount: captured, amount_captured: captured };
  const refunds: { id: string; amount: number; status: string }[] = [];
  const refunded = () =>
    refunds.filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + amount, 0);
  const envelope = (type: string, object: object) =>
    JSON.stringify({
      id: 'envelope',
      source: 'aws.partner/stripe.com/ed_1',
      'detail-type': type,
      time: '2026-11-20T10:00:00Z',
      detail: { id: `evt_${type}`, type, created: 1_763_660_000, livemode: false, data: { object } },
    });
  const chargeNow = () => ({ ...charge, captured: true, status: 'succeeded', amount_refunded: refunded() });
  const refundNow = (refund: object) => ({ ...refund, charge: 'ch_1', payment_intent: 'pi_1', currency: 'usd' });

  const texts = [
    envelope('payment_intent.succeeded', { id: 'pi_1', amount: captured, amount_received: captured, currency: 'usd' }),
    envelope('charge.succeeded', chargeNow()),
  ];
  for (const step of history) {
    if (step.kind === 'refund') {
      if (refunded() + step.amount > captured) continue;
      const refund = { id: `re_${refunds.length}`, amount: step.amount, status: 'succeeded' };
      refunds.push(refund);
      texts.push(envelope('refund.created', refundNow(refund)), envelope('charge.refunded', chargeNow()));
    } else {
      const refund = refunds[step.at];
      if (!refund) continue;
      refund.status = 'failed';
      texts.push(envelope('refund.failed', refundNow(refund)));
    }
  }
  return { texts, refunded: refunded() };
}
