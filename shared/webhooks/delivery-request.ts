import { createHmac } from 'node:crypto';
import { eventEntities, type PlatformEvent } from '../contracts/events.ts';
import { toSeconds } from '../contracts/limits.ts';
import type { DeliveryRequest } from './post.ts';
import { type SigningSalts, signingSalts } from './salt-rotation.ts';
import { secretOfKey, standardHeaders } from './standard-webhooks.ts';
import type { Subscription } from './subscription.ts';

/** Random bytes of a salt; its text is their hex. */
export const saltBytes = 32;

/** The request that delivers an event to a subscription, signed for the time of the attempt. */
export function signedRequest(event: PlatformEvent, subscription: Subscription, signedAt: Date): DeliveryRequest {
  const body = deliveryBody(event);
  return {
    endpointUrl: subscription.endpointUrl,
    headers: {
      ...signatureHeaders({ salts: signingSalts(subscription, signedAt), eventId: event.id, body, signedAt }),
      // Names the salt when an endpoint has several subscriptions.
      'x-platform-subscription-id': subscription.subscriptionId,
    },
    body,
  };
}

/**
 * The body of every delivery of an event (specification, "Webhook delivery body"): exactly these three fields
 * in this order, so that the signed bytes are the same in every attempt.
 */
export function deliveryBody(event: PlatformEvent): string {
  return JSON.stringify({ event: event.name, entity: eventEntities[event.name], entity_id: event.entityId });
}

/** The input of a signature. */
export interface Signing {
  /** The salts as they were shown; their UTF-8 bytes are the keys of both schemes. */
  readonly salts: SigningSalts;
  /** The id of the event: the same in every retry and replay. */
  readonly eventId: string;
  readonly body: string;
  /** The time of this attempt, so that a receiver can refuse old requests. */
  readonly signedAt: Date;
}

/**
 * The signature headers of the specification ("Delivery") and those of Standard Webhooks 1.0.0, so that the
 * libraries of Standard Webhooks can verify a delivery. `x-platform-signature` always has one value: during a rotation
 * the new salt signs in a header of its own, and `webhook-signature` has both values, the old salt's first.
 */
export function signatureHeaders({ salts, eventId, body, signedAt }: Signing): Record<string, string> {
  const { current, next } = salts;
  const timestamp = String(toSeconds(signedAt.getTime()));
  const sign = (salt: string) => createHmac('sha256', salt).update(`${timestamp}${body}`).digest('hex');
  const keys = next === undefined ? [current] : [current, next];
  return {
    'x-platform-timestamp': timestamp,
    'x-platform-signature': sign(current),
    ...(next !== undefined && { 'x-platform-signature-next': sign(next) }),
    'x-platform-date': signedAt.toUTCString(),
    'x-platform-event-id': eventId,
    ...standardHeaders(
      { id: eventId, body, signedAt },
      keys.map((salt) => Buffer.from(salt)),
    ),
  };
}

/** The salt in the notation of Standard Webhooks. */
export function standardWebhooksSecret(salt: string): string {
  return secretOfKey(Buffer.from(salt));
}
