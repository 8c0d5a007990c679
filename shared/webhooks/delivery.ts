import * as z from 'zod/mini';
import { PlatformEvent } from '../contracts/events.ts';
import { AttemptOutcome, ErrorClass } from './attempt-outcome.ts';
import { SubscriptionRef } from './subscription.ts';

/** The number of an attempt: 1 for the first attempt. */
const attempt = z.int().check(z.gte(1));

/**
 * One attempt of one delivery, as a message in a queue. URL and salt are not in the message. They are read at the
 * attempt, so a changed endpoint applies to waiting messages too.
 */
export const DeliveryMessage = z.object({ event: PlatformEvent, subscription: SubscriptionRef, attempt });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** Deliveries to one endpoint are one group. So a slow endpoint does not delay deliveries to other endpoints. */
export const deliveryGroup = ({ subscription }: DeliveryMessage): string => subscription.subscriptionId;

/**
 * In the queue for slow endpoints, all deliveries of one organisation are one group. So an organisation with many slow
 * endpoints does not delay other organisations.
 */
export const slowDeliveryGroup = ({ subscription }: DeliveryMessage): string => String(subscription.organisationId);

/** The message of the first attempt. */
export function firstAttempt(event: PlatformEvent, subscription: SubscriptionRef): DeliveryMessage {
  // Parsing keeps only the reference, because the message must not contain the salt.
  return { event, subscription: SubscriptionRef.parse(subscription), attempt: 1 };
}

/** `delivered`, `failed` and `dropped` are final: the platform makes no further attempt, except for a replay. */
export const deliveryStates = ['delivered', 'retrying', 'parked', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof deliveryStates)[number];
export const isFinal = (state: DeliveryState): boolean => state !== 'retrying' && state !== 'parked';

/** A delivery in the log, after its last attempt so far. The item of a successful delivery fits into one write unit. */
export const Delivery = z.object({
  event: PlatformEvent,
  /**
   * `retrying`: the next attempt waits in a queue. `parked`: the delivery waits until its endpoint works, or for a late
   * attempt. `failed`: no attempt succeeded. `dropped`: the subscription was deleted.
   */
  state: z.enum(deliveryStates),
  /** Attempts so far; 0 when the delivery was parked before its first attempt. */
  attempts: z.int(),
  /** The time of the last change. */
  at: z.iso.datetime(),
  /** The result of the last attempt. */
  status: z.optional(z.int()),
  errorClass: z.optional(ErrorClass),
  totalMs: z.optional(z.number()),
  address: z.optional(z.string()),
  nextAttemptAt: z.optional(z.iso.datetime()),
});
export type Delivery = z.infer<typeof Delivery>;

/** An attempt that did not deliver. */
export const FailedAttempt = z.object({
  eventId: z.string(),
  attempt,
  endpointUrl: z.string(),
  at: z.iso.datetime(),
  outcome: AttemptOutcome,
});
export type FailedAttempt = z.infer<typeof FailedAttempt>;

/** A delivery that waits until its endpoint works, or for a late attempt. */
export const ParkedDelivery = z.object({
  event: PlatformEvent,
  /** The number of the next attempt. */
  attempt,
  parkedAt: z.iso.datetime(),
  /** The next attempt is not before this time. */
  notBefore: z.iso.datetime(),
});
export type ParkedDelivery = z.infer<typeof ParkedDelivery>;

/** The fields of a delivery that show the result of its last attempt. */
export function resultOf(outcome: AttemptOutcome): Pick<Delivery, 'status' | 'errorClass' | 'totalMs' | 'address'> {
  return {
    totalMs: outcome.timing.totalMs,
    ...(outcome.status !== undefined && { status: outcome.status }),
    ...(outcome.address !== undefined && { address: outcome.address }),
    ...(outcome.result === 'failed' && { errorClass: outcome.errorClass }),
  };
}

/** Figures about the last deliveries to an endpoint. A figure is undefined when no delivery was attempted. */
export interface EndpointStatistics {
  /** The number of deliveries with at least one attempt. Only these are counted. */
  readonly attempted: number;
  /** The share of the attempted deliveries that was delivered, from 0 to 1. */
  readonly successRate: number | undefined;
  /** The median duration of the last attempt of each delivery, in milliseconds. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

/** Computes the statistics of deliveries. Deliveries without an attempt are not counted. */
export function statisticsOf(deliveries: readonly Delivery[]): EndpointStatistics {
  const attempted = deliveries.filter(({ attempts }) => attempts > 0);
  const delivered = attempted.filter(({ state }) => state === 'delivered').length;
  const durationsMs = attempted.flatMap(({ totalMs }) => totalMs ?? []).toSorted((one, other) => one - other);
  return {
    attempted: attempted.length,
    successRate: attempted.length === 0 ? undefined : delivered / attempted.length,
    p50Ms: percentile(durationsMs, 0.5),
    p95Ms: percentile(durationsMs, 0.95),
  };
}

/**
 * Returns a percentile of a sorted list: for the share 0.95, the smallest value that at least 95 % of the values do not
 * exceed. Undefined for an empty list.
 */
function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** The records of a delivery that is parked for a replay or a test. Its next attempt counts as the first. */
export function parkedAgain(event: PlatformEvent, now: Date): { delivery: Delivery; parked: ParkedDelivery } {
  const at = now.toISOString();
  return {
    delivery: { event, state: 'parked', attempts: 0, at, nextAttemptAt: at },
    parked: { event, attempt: 1, parkedAt: at, notBefore: at },
  };
}
