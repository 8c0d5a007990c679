import * as z from 'zod/mini';
import { PlatformEvent } from '../contracts/events.ts';
import { SubscriptionRef } from './subscription.ts';

/**
 * One event for one endpoint, as it waits in the deliver queue. It names the subscription and carries
 * neither URL nor salt: both are read when it is sent, so a changed endpoint takes effect on what waits.
 */
export const DeliveryMessage = z.object({
  event: PlatformEvent,
  subscription: SubscriptionRef,
  /** Which attempt this message asks for; 1 is the first. */
  attempt: z.int().check(z.gte(1)),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** The message of an event's first attempt. */
export function firstDelivery(event: PlatformEvent, subscription: SubscriptionRef): DeliveryMessage {
  // Parsed, so that what a subscription has beyond its reference, its salt above all, stays here.
  return { event, subscription: SubscriptionRef.parse(subscription), attempt: 1 };
}
