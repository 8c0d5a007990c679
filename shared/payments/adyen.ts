import * as z from 'zod/mini';
import { paymentSources } from '../contracts/events.ts';
import { type Money, moneyOf } from '../domain/payment/money.ts';
import { timeOf } from '../domain/period.ts';
import {
  type Envelope,
  emailHashOf,
  isSignedWith,
  MalformedPaymentError,
  type Message,
  parsePart,
  type ReadingContext,
  referenceOf,
  type Statement,
  Time,
  type WebhookPlatform,
} from './platform.ts';

/** Adyen sends HTTPS webhooks. The ingress checks their signatures and puts `{ account, body }` on the bus. */
export const adyen: WebhookPlatform = {
  name: 'adyen',
  source: paymentSources.adyen,
  accountOf: ({ detail }) => {
    const { account, body } = parsePart(Received, detail, 'detail');
    // The key of `account` signed the webhook. So no item may report an event of another account.
    const other = itemsOf(body).find(({ merchantAccountCode }) => merchantAccountCode !== account);
    if (!other) return account;
    throw new MalformedPaymentError(`The account ${account} sent an event of ${other.merchantAccountCode}.`);
  },
  read,
  isSigned: ({ body }, key) => isSignedByAdyen(parsed(body), key),
};

/** The value of JSON text; undefined for other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Flag = z.enum(['true', 'false']);

const Item = z.object({
  eventCode: z.string(),
  success: Flag,
  pspReference: z.string(),
  originalReference: z.nullish(z.string()),
  merchantReference: z.nullish(z.string()),
  merchantAccountCode: z.string(),
  amount: z.nullish(z.object({ value: z.int(), currency: z.string() })),
  eventDate: Time,
  additionalData: z.nullish(z.record(z.string(), z.unknown())),
});
type Item = z.infer<typeof Item>;

const Notification = z.object({
  live: Flag,
  notificationItems: z.array(z.object({ NotificationRequestItem: Item })).check(z.minLength(1)),
});
type Notification = z.infer<typeof Notification>;
const Received = z.object({ account: z.string(), body: Notification });

const itemsOf = ({ notificationItems }: Notification) => notificationItems.map((one) => one.NotificationRequestItem);

/**
 * Whether Adyen signed every item of a webhook.
 *
 * @param body the parsed body of the webhook
 * @param hexKey the HMAC key of the account's webhook, as Adyen shows it
 */
export function isSignedByAdyen(body: unknown, hexKey: string): boolean {
  const { success, data } = Notification.safeParse(body);
  return success && itemsOf(data).every((item) => isItemSigned(item, Buffer.from(hexKey, 'hex')));
}

function isItemSigned(item: Item, key: Buffer): boolean {
  const { pspReference, originalReference, merchantAccountCode, merchantReference, amount } = item;
  const signed = [
    pspReference,
    originalReference,
    merchantAccountCode,
    merchantReference,
    amount?.value,
    amount?.currency,
    item.eventCode,
    item.success,
  ];
  const signature = item.additionalData?.hmacSignature;
  return typeof signature === 'string' && key.length > 0 && isSignedWith(key, signed.join(':'), signature);
}

function read({ detail }: Envelope, context: ReadingContext): Message | string {
  const { body } = parsePart(Received, detail, 'detail');
  const items = itemsOf(body);
  const readings = items.map((item) => readItem(item, context));
  const statements = readings.filter((reading) => typeof reading !== 'string');
  const reasons = readings.filter((reading) => typeof reading === 'string');
  if (statements.length === 0) return reasons.join(' ');
  const [{ eventCode, pspReference, success } = { eventCode: '', pspReference: '', success: '' }] = items;
  return { eventId: `${eventCode}:${pspReference}:${success}`, livemode: body.live === 'true', statements };
}

type Reader = (item: Item, context: ReadingContext) => Statement | string;

/** The event codes that count. */
const readers: Readonly<Record<string, Reader>> = {
  AUTHORISATION: readAuthorisation,
  CAPTURE: readCapture,
  CAPTURE_FAILED: captureFailed,
  CANCELLATION: readCancellation,
  TECHNICAL_CANCEL: readCancellation,
  CANCEL_OR_REFUND: readCancelOrRefund,
  REFUND: (item) => refundOf(item, item.success === 'true' ? 'refund.completed' : 'refund.failed'),
  POSTPONED_REFUND: (item) => refundOf(item, 'refund.pending'),
  REFUND_FAILED: (item) => refundOf(item, 'refund.failed'),
  REFUNDED_REVERSED: (item) => refundOf(item, 'refund.failed'),
  REQUEST_FOR_INFORMATION: (item) => disputeOf(item, 'dispute.opened'),
  NOTIFICATION_OF_CHARGEBACK: (item) => disputeOf(item, 'dispute.opened'),
  CHARGEBACK: (item) => disputeOf(item, 'dispute.funds_withdrawn'),
  CHARGEBACK_REVERSED: (item) => disputeOf(item, 'dispute.reinstated'),
  PREARBITRATION_WON: (item) => disputeOf(item, 'dispute.won'),
  PREARBITRATION_LOST: (item) => disputeOf(item, 'dispute.lost'),
  SECOND_CHARGEBACK: (item) => disputeOf(item, 'dispute.lost'),
};

function readItem(item: Item, context: ReadingContext): Statement | string {
  const reader = new Map(Object.entries(readers)).get(item.eventCode);
  return reader ? reader(item, context) : `Events with the code ${item.eventCode} do not count.`;
}

/** The date of the event is its version: Adyen may report the same change again with another result. */
const keyOf = ({ pspReference: id, eventDate }: Item) => ({ id, version: timeOf(eventDate) });

/** Adyen counts some currencies in another unit than ISO 4217 does. */
function moneyIn({ amount, eventCode }: Item): Money {
  if (!amount) throw new MalformedPaymentError(`${eventCode} has no amount.`);
  return moneyOf(amount.value, amount.currency, { CLP: 2, CVE: 0, IDR: 0, ISK: 2 });
}

function commonOf({ pspReference, originalReference, merchantReference, eventDate }: Item) {
  return {
    paymentId: originalReference || pspReference,
    orderExternalId: referenceOf(merchantReference),
    occurredAt: eventDate,
  };
}

function captureOf(item: Item, extent: 'assumed' | 'part') {
  const money = moneyIn(item);
  return { ...keyOf(item), extent, money, eligible: money.amount, basis: 'total' as const };
}

/** An account with automatic capture reports no captures: its authorization counts as the capture. */
function readAuthorisation(item: Item, context: ReadingContext): Statement | string {
  if (item.amount?.value === 0) return 'The authorization only checks a card.';
  const common = { ...commonOf(item), customer: customerOf(item, context) };
  if (item.success === 'false') return { ...common, kind: 'payment.failed', capture: keyOf(item) };
  if (context.capture === 'manual') return { ...common, kind: 'payment.updated' };
  return { ...common, kind: 'payment.completed', capture: captureOf(item, 'assumed') };
}

function customerOf({ additionalData }: Item, context: ReadingContext): Statement['customer'] {
  const read = (name: string) => {
    const value = additionalData?.[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    platformCustomerId: referenceOf(read('shopperReference')),
    merchantExternalId: referenceOf(read('metadata.merchant_external_id')),
    emailHash: emailHashOf(read('shopperEmail'), context),
  };
}

function readCapture(item: Item): Statement {
  return item.success === 'true'
    ? { ...commonOf(item), kind: 'payment.completed', capture: captureOf(item, 'part') }
    : captureFailed(item);
}

/** A cancellation is read like a failed capture: after both, the authorization no longer counts as a capture. */
function readCancellation(item: Item): Statement | string {
  return item.success === 'true' ? captureFailed(item) : 'The cancellation failed.';
}

function captureFailed(item: Item): Statement {
  return { ...commonOf(item), kind: 'payment.failed', capture: keyOf(item) };
}

function readCancelOrRefund(item: Item): Statement | string {
  if (item.success === 'false') return 'The cancellation or refund failed.';
  const action = item.additionalData?.['modification.action'];
  if (action === 'refund') return refundOf(item, 'refund.completed');
  if (action === 'cancel') return readCancellation(item);
  throw new MalformedPaymentError('CANCEL_OR_REFUND names no action: additionalData/modification.action is missing.');
}

function refundOf(item: Item, kind: 'refund.pending' | 'refund.completed' | 'refund.failed'): Statement | string {
  if (!item.originalReference) return 'The refund is linked to no payment.';
  return { ...commonOf(item), kind, refund: { ...keyOf(item), money: moneyIn(item) } };
}

type DisputeKind = Extract<Statement, { dispute: unknown }>['kind'];

function disputeOf(item: Item, kind: DisputeKind): Statement | string {
  if (!item.originalReference) return 'The dispute names no payment.';
  const dispute = { ...keyOf(item), money: moneyIn(item), isInquiry: kind === 'dispute.opened' };
  return { ...commonOf(item), kind, dispute };
}
