import * as z from 'zod/mini';
import { PlatformEvent } from '../contracts/events.ts';
import { AttemptOutcome } from './attempt-outcome.ts';
import { type Subscription, SubscriptionRef } from './subscription.ts';

/** 1 for the first. */
const attempt = z.int().check(z.gte(1));
const identity = { event: PlatformEvent, subscription: SubscriptionRef };

/**
 * One attempt of one delivery, as a message in the deliver queue. It contains neither URL nor salt: both are
 * read at the attempt, so a changed endpoint applies to waiting messages too.
 */
export const DeliveryMessage = z.object({ ...identity, attempt });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** The message of the first attempt. */
export function firstAttempt(event: PlatformEvent, subscription: Subscription): DeliveryMessage {
  // Parsed, so that the message contains the reference only, and above all no salt.
  return { event, subscription: SubscriptionRef.parse(subscription), attempt: 1 };
}

const attempted = { attempt, endpointUrl: z.string(), at: z.iso.datetime(), outcome: AttemptOutcome };

/** An attempt that did not deliver. */
export const FailedAttempt = z.object({ ...identity, ...attempted, nextAttemptAt: z.nullable(z.iso.datetime()) });
export type FailedAttempt = z.infer<typeof FailedAttempt>;

/** A delivery without further attempts: delivered, or dropped because its subscription was deleted. */
export const FinalizedDelivery = z.discriminatedUnion('state', [
  z.object({ state: z.literal('delivered'), ...identity, ...attempted }),
  z.object({ state: z.literal('dropped'), ...identity, at: z.iso.datetime(), reason: z.literal('unsubscribed') }),
]);
export type FinalizedDelivery = z.infer<typeof FinalizedDelivery>;

/** A delivery that waits until its endpoint works again. */
export const ParkedDelivery = z.object({
  /** The message of the next attempt, for the deliver queue. */
  message: DeliveryMessage,
  parkedAt: z.iso.datetime(),
  /** The endpoint's own Retry-After. */
  notBefore: z.iso.datetime(),
});
export type ParkedDelivery = z.infer<typeof ParkedDelivery>;
