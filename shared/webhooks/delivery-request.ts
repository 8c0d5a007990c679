import { createHmac } from 'node:crypto';
import { eventEntities, type PlatformEvent } from '../contracts/events.ts';
import { secondMs, toSeconds, webhookMs } from '../contracts/limits.ts';
import type { DeliveryRequest } from './post.ts';
import { secretOfKey, standardHeaders } from './standard-webhooks.ts';
import type { Subscription } from './subscription.ts';

/** The number of random bytes in a salt. The text of the salt is these bytes in hex. */
export const saltBytes = 32;

/** The request that delivers an event to a subscription, signed for the time of the attempt. */
export function signedRequest(event: PlatformEvent, subscription: Subscription, signedAt: Date): DeliveryRequest {
  const body = deliveryBody(event);
  return {
    endpointUrl: subscription.endpointUrl,
    headers: {
      ...signatureHeaders({ salts: signingSalts(subscription, signedAt), eventId: event.id, body, signedAt }),
      // Tells an endpoint with several subscriptions which salt verifies the delivery.
      'x-platform-subscription-id': subscription.subscriptionId,
      // The same id as `x-request-id` in the reply to the request that caused the event.
      ...(event.requestId !== undefined && { 'x-platform-request-id': event.requestId }),
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
  /** The salts as the owner of the subscription received them. Their UTF-8 bytes are the keys of both schemes. */
  readonly salts: SigningSalts;
  /** The id of the event: the same in every retry and replay. */
  readonly eventId: string;
  readonly body: string;
  /** The time of this attempt, so that a receiver can refuse old requests. */
  readonly signedAt: Date;
}

/**
 * The signature headers of the specification ("Delivery") and of Standard Webhooks 1.0.0, whose libraries can verify a
 * delivery. During a rotation:
 *
 * - `x-platform-signature` keeps one value; the new salt signs in a separate header
 * - `webhook-signature` has two values: the one of the old salt, then the one of the new salt
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

// The rotation of a subscription's salt. The old salt signs until `activatesAt`, the new one from then on. The time of
// each attempt decides, so a rotation ends without a write.

/** The salts that a subscription stores. */
export type StoredSalts = Pick<Subscription, 'salt' | 'nextSalt'>;

/** The salts that sign one attempt. */
export interface SigningSalts {
  /** Signs `x-platform-signature`. */
  readonly current: string;
  /** Signs `x-platform-signature-next`. Present until the rotation activates it. */
  readonly next?: string;
}

/**
 * Returns the salts that sign an attempt at `at`. Exactly one of them signs `x-platform-signature`.
 *
 * The time of the attempt decides, in whole seconds: the same value as in `x-platform-timestamp`. So a receiver that
 * compares this header with `activates_at` finds the same salt, however late the request arrives.
 */
export function signingSalts({ salt, nextSalt }: StoredSalts, at: Date): SigningSalts {
  if (!nextSalt) return { current: salt };
  const isActive = toSeconds(at.getTime()) * secondMs >= Date.parse(nextSalt.activatesAt);
  return isActive ? { current: nextSalt.salt } : { current: salt, next: nextSalt.salt };
}

/**
 * Returns the salts as a subscription should store them from `at` on. After its `activatesAt`, a rotation has ended and
 * only the new salt remains.
 */
export function settledSalt({ salt, nextSalt }: StoredSalts, at: Date): StoredSalts {
  const { current, next } = signingSalts({ salt, nextSalt }, at);
  return next === undefined ? { salt: current } : { salt, nextSalt };
}

/** The fields of a subscription during a rotation. */
type Rotating = Pick<Subscription, 'salt' | 'updatedAt'> & { nextSalt: NonNullable<Subscription['nextSalt']> };

/**
 * Starts a rotation: returns the fields of the subscription with the present salt and the new salt. The new salt
 * activates after {@link webhookMs.saltRotation}, at a whole second.
 *
 * @throws RotationRunningError while an earlier rotation has not activated its salt
 */
export function rotateSalt(stored: StoredSalts, newSalt: string, now: Date): Rotating {
  const { salt, nextSalt } = settledSalt(stored, now);
  if (nextSalt) throw new RotationRunningError(nextSalt.activatesAt);
  const activatesAt = Math.ceil((now.getTime() + webhookMs.saltRotation) / secondMs) * secondMs;
  return {
    salt,
    nextSalt: { salt: newSalt, activatesAt: new Date(activatesAt).toISOString() },
    updatedAt: now.toISOString(),
  };
}

/**
 * Commits a rotation: ends it before its time, so that only the new salt signs. Returns the changed fields of the
 * subscription; the caller removes `nextSalt`. Functions that read the subscription before the commit sign with the old
 * salt for as long as they cache the subscription (`cacheAgeMs.subscriptions`). A receiver has to accept both salts for
 * that time.
 *
 * @throws NoRotationError when the subscription has one salt only
 */
export function commitRotation({ nextSalt }: StoredSalts, now: Date): Pick<Subscription, 'salt' | 'updatedAt'> {
  if (!nextSalt) throw new NoRotationError();
  return { salt: nextSalt.salt, updatedAt: now.toISOString() };
}

/** A rotation is running: the old salt signs beside the new one. Commit the rotation, or wait for its end. */
export class RotationRunningError extends Error {
  override readonly name = 'RotationRunningError';
  /** The time at which the running rotation ends, ISO 8601. */
  readonly activatesAt: string;

  constructor(activatesAt: string) {
    super(`a rotation of the salt is running until ${activatesAt}`);
    this.activatesAt = activatesAt;
  }
}

/** The subscription has no new salt that a commit could activate. */
export class NoRotationError extends Error {
  override readonly name = 'NoRotationError';

  constructor() {
    super('no rotation of the salt is running');
  }
}
