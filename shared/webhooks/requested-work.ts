import type { PlatformEvent } from '../contracts/events.ts';
import type { Delivery, ParkedDelivery } from './delivery.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/** The work that the owner of an endpoint requests: replays and test events. All of it is sent by the next run. */

/**
 * The health of an endpoint for which a delivery was parked by request. An endpoint that does not work keeps its next
 * probe, and a disabled endpoint waits until it is enabled: the delivery waits in both.
 */
export function withWork(health: EndpointHealth, now: Date): EndpointHealth {
  if (health.state !== 'closed') return health;
  const at = now.toISOString();
  // A run that is in progress may have passed the delivery already, so the drain begins again.
  const waitingUntil = health.waitingUntil !== undefined && health.waitingUntil < at ? health.waitingUntil : at;
  return { ...health, resumeAt: at, waitingUntil };
}

/** The health of an endpoint that is to receive a test event now, in any state. */
export const withTest = (health: EndpointHealth, testEventId: string, now: Date): EndpointHealth => ({
  ...withWork(health, now),
  resumeAt: now.toISOString(),
  testEventId,
});

/** The health of an endpoint with a new replay. */
export const withReplay = (health: EndpointHealth, replayId: string, now: Date): EndpointHealth => ({
  ...withWork(health, now),
  replayId,
});

/** The delivery of an event that is parked, to be attempted as if for the first time. */
export function parkedAgain(event: PlatformEvent, now: Date): { delivery: Delivery; parked: ParkedDelivery } {
  const at = now.toISOString();
  return {
    delivery: { event, state: 'parked', attempts: 0, at, nextAttemptAt: at },
    parked: { event, attempt: 1, parkedAt: at, notBefore: at },
  };
}
