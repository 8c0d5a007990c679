import * as z from 'zod/mini';
import { PaymentEvent } from '../domain/payment/payment-event.ts';
import { adyen } from './adyen.ts';
import { canonical } from './canonical.ts';
import {
  changeIdOf,
  Envelope,
  MalformedPaymentError,
  type PaymentPlatform,
  parsePart,
  type ReadingContext,
} from './platform.ts';
import { shopify } from './shopify.ts';
import { square } from './square.ts';
import { stripe } from './stripe.ts';

/** Every payment platform. To add one, add its own file and a line here. */
const paymentPlatforms: readonly PaymentPlatform[] = [stripe, shopify, square, adyen, canonical];

export const platformNames = paymentPlatforms.map(({ name }) => name);

/**
 * The result of reading a message: payment events, a reason to ignore the message, or the faults of a malformed
 * message.
 */
export type Reading =
  | { readonly outcome: 'events'; readonly events: readonly PaymentEvent[] }
  | { readonly outcome: 'ignored'; readonly reason: string }
  | { readonly outcome: 'malformed'; readonly reason: string };

/** An event, the platform that it is from and the account that it belongs to. */
export interface IdentifiedEvent {
  readonly envelope: Envelope;
  readonly platform: PaymentPlatform;
  readonly account: string;
}

/**
 * Finds the platform and the account of an event.
 *
 * @param text the event as JSON text, not parsed before: ids over 2^53 would lose digits
 * @returns the reason in words when the event is malformed
 */
export function identifyEvent(text: string): IdentifiedEvent | string {
  return orReason(() => {
    const envelope = parsePart(Envelope, parseExactly(text), '');
    const platform = paymentPlatforms.find(({ source }) => isFrom(source, envelope.source));
    if (!platform) throw new MalformedPaymentError(`No payment platform has the source ${envelope.source}.`);
    return { envelope, platform, account: platform.accountOf(envelope) };
  });
}

/**
 * Translates an event to payment events. The result depends only on the arguments. The function never throws,
 * even for a malformed event.
 */
export function readEvent({ envelope, platform, account }: IdentifiedEvent, context: ReadingContext): Reading {
  const reading = orReason((): Reading => {
    const message = platform.read(envelope, context);
    if (typeof message === 'string') return { outcome: 'ignored', reason: message };
    const livemode = message.livemode ?? context.mode === 'live';
    if (livemode !== (context.mode === 'live')) return { outcome: 'ignored', reason: disagreement(livemode) };

    const common = { platform: platform.name, account, livemode, eventId: message.eventId };
    const events = message.statements.map((one) => ({ ...one, ...common, changeId: changeIdOf(one) }));
    // Removes the properties that are undefined, because parts of the events are copied into a stored payment book.
    const stated: unknown = JSON.parse(JSON.stringify(events));
    return { outcome: 'events', events: parsePart(z.array(PaymentEvent), stated, '') };
  });
  return typeof reading === 'string' ? { outcome: 'malformed', reason: reading } : reading;
}

/**
 * Parses JSON. Whole numbers that a double cannot hold become texts with all of their digits: Shopify has such ids. A
 * text in place of an amount is refused as malformed, so no amount is ever rounded.
 */
function parseExactly(text: string): unknown {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const isUnsafe = (found: string) => /^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found));
  try {
    return JSON.parse(text.replace(token, (found) => (isUnsafe(found) ? `"${found}"` : found)));
  } catch {
    throw new MalformedPaymentError('The event is no JSON.');
  }
}

function isFrom(source: string, actual: string): boolean {
  return source.endsWith('/') ? actual.startsWith(source) : actual === source;
}

function disagreement(livemode: boolean): string {
  return livemode
    ? 'The event is about live money, and this is a test stage.'
    : 'The event is about test money, and this is a live stage.';
}

function orReason<Result>(run: () => Result): Result | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof MalformedPaymentError) return error.message;
    throw error;
  }
}
