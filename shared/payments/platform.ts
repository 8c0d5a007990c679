import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { maximumCharacters } from '../contracts/limits.ts';
import { parseWith } from '../domain/campaign/authoring/schema-faults.ts';
import type { PaymentEvent } from '../domain/payment/payment-event.ts';

/** An event as EventBridge delivers it. */
export const Envelope = z.object({
  id: z.string(),
  source: z.string(),
  'detail-type': z.string(),
  time: z.iso.datetime({ offset: true }),
  detail: z.unknown(),
});
export type Envelope = z.infer<typeof Envelope>;

/** The values that the reading of an event depends on, in addition to the event. */
export interface ReadingContext {
  /** Test money earns nothing at a live stage, and live money nothing at a test stage. */
  readonly mode: 'live' | 'test';
  /** Whether the account captures payments by itself. Only Adyen's events depend on it. */
  readonly capture: 'automatic' | 'manual';
  /** The key of the hashes of e-mail addresses. */
  readonly emailKey: string;
}

type Without<Event, Names extends PropertyKey> = Event extends unknown ? Omit<Event, Names> : never;

/** The part of a payment event that differs between the events of one message. */
export type Statement = Without<
  z.input<typeof PaymentEvent>,
  'platform' | 'account' | 'livemode' | 'eventId' | 'changeId'
>;

/** What one message of a platform reports. */
export interface Message {
  /** The platform's id of the message, the same when the platform repeats it. */
  readonly eventId: string;
  /**
   * Whether the message is about live money. Undefined when the message does not show it: then the mode of the stage
   * counts.
   */
  readonly livemode: boolean | undefined;
  readonly statements: readonly Statement[];
}

/** One payment platform. Everything about it is in its own file; platforms.ts lists it. */
export interface PaymentPlatform {
  readonly name: string;
  /** The `source` of its events. A value that ends in a slash is a prefix of the source. */
  readonly source: string;
  /**
   * Returns the payment account that an event belongs to. The account is registered to a merchant.
   *
   * @throws MalformedPaymentError when the event names none
   */
  readonly accountOf: (envelope: Envelope) => string;
  /**
   * Reads an event. For an event that is ignored, returns the reason in words.
   *
   * @throws MalformedPaymentError when the event cannot be read
   */
  readonly read: (envelope: Envelope, context: ReadingContext) => Message | string;
}

/** A webhook of an account, as the platform signed it. */
export interface PaymentWebhook {
  /** The `source` of its event on the bus. */
  readonly source: string;
  readonly account: string;
  /** The text of its body: parsing it could change ids over 2^53. */
  readonly body: string;
}

/** The parts of a request that a platform signs: the body, and at Square also the URL. */
interface SignedRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The URL of the webhook, as it is registered at the platform. */
  readonly url: string;
}

/** A payment platform that sends HTTPS webhooks. The ingress puts them on the bus as `{ account, body }`. */
export interface WebhookPlatform extends PaymentPlatform {
  /** Whether a request was signed with the key of an account's webhook. */
  readonly isSigned: (request: SignedRequest, key: string) => boolean;
}

/** An event that cannot be read. Its message describes every fault and its place. */
export class MalformedPaymentError extends Error {
  override readonly name = 'MalformedPaymentError';
}

/** Parses a part of an event. @throws MalformedPaymentError with every fault and its place */
export function parsePart<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  place: string,
): z.infer<Schema> {
  const result = parseWith(schema, value);
  if ('parsed' in result) return result.parsed;
  throw new MalformedPaymentError(
    result.faults.map(({ pointer, message }) => `${place}${pointer} ${message}`).join('; '),
  );
}

/** A time with an offset, as UTC with milliseconds. */
export const Time = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((text: string) => new Date(text).toISOString()),
);

/** Returns a text that can be a reference; undefined for a text that is empty, too long or not well-formed. */
export function referenceOf(value: string | number | null | undefined): string | undefined {
  const text = String(value ?? '');
  return text.length > 0 && text.length <= maximumCharacters.text && text.isWellFormed() ? text : undefined;
}

/** The keyed hash of an e-mail address, the same for every spelling of the address; undefined without an address. */
export function emailHashOf(email: string | null | undefined, { emailKey }: ReadingContext): string | undefined {
  const address = email?.trim().toLowerCase();
  return address ? createHmac('sha256', emailKey).update(address).digest('hex') : undefined;
}

/** Identifies the content of a statement: another event for the same change has the same id. */
export function changeIdOf({ occurredAt: _at, ...content }: Statement): string {
  return `${content.kind}:${createHash('sha256').update(JSON.stringify(content)).digest('base64url')}`;
}

/**
 * Whether a base64 signature is the HMAC-SHA256 of a text. Takes the same time for every signature of the same length.
 */
export function isSignedWith(key: string | Buffer, text: string, signature: string): boolean {
  const expected = createHmac('sha256', key).update(text).digest();
  const actual = Buffer.from(signature, 'base64');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
