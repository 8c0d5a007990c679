import { globSync, readFileSync } from 'node:fs';
import type { Money } from '../../shared/domain/payment/money.ts';
import type { PaymentEvent } from '../../shared/domain/payment/payment-event.ts';
import type { ReadingContext } from '../../shared/payments/platform.ts';
import { identifyEvent, type Reading, readEvent } from '../../shared/payments/platforms.ts';

const folder = 'test/fixtures/payments/';

export const testMode: ReadingContext = { mode: 'test', capture: 'automatic', emailKey: 'key of the stage' };
export const liveMode: ReadingContext = { ...testMode, mode: 'live' };

/** The paths of the recorded events of a platform, below the folder of fixtures. */
export function fixturesOf(platform: string): string[] {
  return globSync(`${folder}${platform}/**/*.json`)
    .map((path) => path.slice(folder.length))
    .sort();
}

/** The text of a recorded event. It is not parsed, because parsing would round ids. */
export const fixtureText = (path: string) => readFileSync(folder + path, 'utf8');
export const fixture = (path: string) => JSON.parse(fixtureText(path));

const destination = 'aws.partner/stripe.com/ed_test_61RewardsExampleDestination';

/** The text of an EventBridge event. `detail` is JSON text, because parsing it would round ids. */
export function envelopeText(source: string, detailType: string, detail: string, id = 'envelope-1'): string {
  const rest = { version: '0', id, source, 'detail-type': detailType, time: '2026-11-20T10:00:00Z', resources: [] };
  return `${JSON.stringify(rest).slice(0, -1)},"detail":${detail}}`;
}

/** A Stripe event, as its partner source delivers it. */
export function stripeEnvelope(event: { readonly type: string }): string {
  return envelopeText(destination, event.type, JSON.stringify(event));
}

/** A Stripe event about an object. */
export function stripeEvent(type: string, object: object, more: object = {}): string {
  return stripeEnvelope({
    id: 'evt_1',
    type,
    created: 1_763_660_000,
    livemode: false,
    data: { object },
    ...more,
  } as never);
}

/** A Shopify webhook, as its partner source delivers it. `payload` is JSON text. */
export function shopifyEnvelope(topic: string, payload: string, headers: object = {}): string {
  const metadata = {
    'X-Shopify-Topic': topic,
    'X-Shopify-Shop-Domain': 'test-shop.myshopify.com',
    'X-Shopify-Webhook-Id': 'f267a21b-b283-58e6-923a-0f3be44ce67c',
    'X-Shopify-Triggered-At': '2026-11-20T09:59:59.110521905Z',
    ...headers,
  };
  const detail = `{"payload":${payload},"metadata":${JSON.stringify(metadata)}}`;
  return envelopeText('aws.partner/shopify.com/427319918593/orders', 'shopifyWebhook', detail);
}

/** A webhook that the ingress received for an account and put on the bus. */
export function ingressEnvelope(platform: 'square' | 'adyen', account: string, body: object): string {
  return envelopeText(`rewards.payments.${platform}`, platform, JSON.stringify({ account, body }));
}

/** An Adyen webhook with one item. */
export function adyenEnvelope(item: object, live = 'false'): string {
  return ingressEnvelope('adyen', 'TestMerchant', {
    live,
    notificationItems: [{ NotificationRequestItem: adyenItem(item) }],
  });
}

export function adyenItem(item: object) {
  return {
    additionalData: {},
    amount: { value: 10_000, currency: 'EUR' },
    eventCode: 'AUTHORISATION',
    eventDate: '2026-11-20T10:00:00+01:00',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'order-1',
    originalReference: '',
    pspReference: 'PAYMENT1',
    success: 'true',
    ...item,
  };
}

/** An event of the canonical source. */
export function canonicalEnvelope(kind: string, detail: object): string {
  const common = { merchant_id: 7, event_id: 'event-1', occurred_at: '2026-11-20T10:00:00Z', payment_id: 'pay-1' };
  return envelopeText('rewards.payments', kind, JSON.stringify({ ...common, ...detail }));
}

/** Reads the text of an event, as the consumer does. */
export function read(text: string, context: ReadingContext = testMode): Reading {
  const identified = identifyEvent(text);
  return typeof identified === 'string' ? { outcome: 'malformed', reason: identified } : readEvent(identified, context);
}

/** The payment events of a text. @throws Error when it has none */
export function eventsOf(text: string, context?: ReadingContext): readonly PaymentEvent[] {
  const reading = read(text, context);
  if (reading.outcome !== 'events') throw new Error(`${reading.outcome}: ${reading.reason}`);
  return reading.events;
}

/** A reading in short lines, for tables. */
export function summarize(reading: Reading): string[] {
  return reading.outcome === 'events' ? reading.events.map(summarizeEvent) : [`${reading.outcome}: ${reading.reason}`];
}

const moneyText = ({ amount, currency, exponent }: Money) => `${amount} ${currency}/${exponent}`;

function summarizeEvent(event: PaymentEvent): string {
  const { kind, paymentId, aliases, customer, orderExternalId, refundedTotal } = event;
  return [
    `${[kind, paymentId, ...aliases].join(' ')}:`,
    summarizeContent(event),
    refundedTotal && `refunded in total ${moneyText(refundedTotal)}`,
    customer.platformCustomerId && `customer ${customer.platformCustomerId}`,
    customer.merchantExternalId && `member ${customer.merchantExternalId}`,
    customer.emailHash && 'e-mail',
    orderExternalId && `order ${orderExternalId}`,
  ]
    .filter((part) => part)
    .join(', ')
    .replace(':,', ':');
}

function summarizeContent(event: PaymentEvent): string | undefined {
  switch (event.kind) {
    case 'payment.completed': {
      const { extent, money, eligible, basis, presented } = event.capture;
      return `${extent} ${moneyText(money)}, eligible ${eligible} by ${basis}${presented ? `, presented ${moneyText(presented)}` : ''}`;
    }
    case 'payment.updated':
      return undefined;
    case 'payment.failed':
      return event.capture.id;
    case 'order.completed':
      return `of ${moneyText(event.order.total)}, eligible ${event.order.eligible}`;
    case 'refund.pending':
    case 'refund.completed':
    case 'refund.failed':
      return event.refund && `${event.refund.id} ${moneyText(event.refund.money)}`;
    default:
      return `${event.dispute.id} ${moneyText(event.dispute.money)}${event.dispute.isInquiry ? ', inquiry' : ''}`;
  }
}
