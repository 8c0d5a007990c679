import { commitRotation, rotateSalt as rotated, saltBytes } from '../../webhooks/delivery-request.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { auditWrites } from '../write-audited.ts';
import { changeEndpoint, type EndpointRequest, type RequestedDeps } from './find-endpoint.ts';

/** A new salt. It is shown once: afterwards only the subscription contains it. */
export interface NewSalt {
  readonly salt: string;
  /** From this time on it is the only salt. */
  readonly activatesAt: string;
}

/**
 * Gives a subscription a new salt. Until its activation, the new salt signs in addition to the present salt; then it
 * replaces the present salt.
 *
 * @throws RotationRunningError while an earlier rotation is in progress
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function rotateSalt(request: EndpointRequest, deps: RequestedDeps<NewSalt>): Promise<NewSalt> {
  return changeEndpoint(
    request,
    async (subscription) => {
      const newSalt = Buffer.from(deps.random(saltBytes)).toString('hex');
      const salts = rotated(subscription, newSalt, deps.now());
      await deps.subscriptions.writeSalts(subscription, salts, [
        ...(await auditWrites(`begins to replace the salt of subscription ${subscription.subscriptionId}`, deps)),
        ...(deps.replyWrites?.(salts.nextSalt) ?? []),
      ]);
      return salts.nextSalt;
    },
    deps,
  );
}

/**
 * Ends the rotation of a salt before its time: from now on, the new salt is the only one.
 *
 * @throws NoRotationError when the subscription has one salt
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function commitSalt(request: EndpointRequest, deps: RequestedDeps<Subscription>): Promise<Subscription> {
  return changeEndpoint(
    request,
    async (subscription) => {
      const { nextSalt: _, ...before } = subscription;
      const after = { ...before, ...commitRotation(subscription, deps.now()) };
      await deps.subscriptions.writeSalts(subscription, after, [
        ...(await auditWrites(`ends the replacement of the salt of subscription ${before.subscriptionId}`, deps)),
        ...(deps.replyWrites?.(after) ?? []),
      ]);
      return after;
    },
    deps,
  );
}
