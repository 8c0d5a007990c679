import { commitRotation } from '../../webhooks/salt-rotation.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import type { Replying } from '../operation.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';
import { changeEndpoint, type EndpointRequest, type findEndpointStores } from './find-endpoint.ts';

/**
 * Ends the rotation of a salt before its time: from now on, the new salt is the only one.
 *
 * @throws NoRotationError when the subscription has one salt
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function commitSalt(
  request: EndpointRequest,
  deps: AuditedDeps<typeof findEndpointStores> & Replying<Subscription>,
): Promise<Subscription> {
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
