import * as z from 'zod/mini';
import { PlatformEvent } from '../contracts/events.ts';
import { DeliveryMessage } from './delivery-message.ts';
import { PostOutcome } from './post-outcome.ts';
import { SubscriptionRef } from './subscription.ts';

const about = { event: PlatformEvent, subscription: SubscriptionRef };
const made = {
  /** 1 for the first. */
  attempt: z.int().check(z.gte(1)),
  endpointUrl: z.string(),
  at: z.iso.datetime(),
  outcome: PostOutcome,
};

/** One attempt that did not deliver. */
export const FailedAttempt = z.object({ ...about, ...made, nextAttemptAt: z.nullable(z.iso.datetime()) });
export type FailedAttempt = z.infer<typeof FailedAttempt>;

/** A delivery that nothing more is done for. */
export const SettledDelivery = z.discriminatedUnion('state', [
  z.object({ state: z.literal('delivered'), ...about, ...made }),
  z.object({ state: z.literal('dropped'), ...about, at: z.iso.datetime(), reason: z.literal('unsubscribed') }),
]);
export type SettledDelivery = z.infer<typeof SettledDelivery>;

/** A delivery that waits for its endpoint to come back. */
export const ParkedDelivery = z.object({
  /** What the deliver queue takes to go on with it: the attempt after the last that was made. */
  message: DeliveryMessage,
  parkedAt: z.iso.datetime(),
  /** Not before the endpoint's own Retry-After. */
  notBefore: z.iso.datetime(),
});
export type ParkedDelivery = z.infer<typeof ParkedDelivery>;
