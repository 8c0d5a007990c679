import { enabled, newHealth, withWork } from '../../webhooks/endpoint-health.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import type { Replying } from '../operation.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';
import { changeEndpoint, type EndpointRequest, type findEndpointStores } from './find-endpoint.ts';

/**
 * Lets deliveries to an endpoint be sent again, and sends those that wait, the oldest first and slowly. Changes nothing
 * when the endpoint works.
 *
 * @returns the subscription, whose endpoint is `closed`
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function enableEndpoint(
  request: EndpointRequest,
  deps: AuditedDeps<typeof findEndpointStores> & Replying<Subscription>,
): Promise<Subscription> {
  return changeEndpoint(
    request,
    async (subscription) => {
      const before = subscription.health ?? newHealth;
      if (before.state === 'closed') return subscription;
      const now = deps.now();
      const after = { ...subscription, health: withWork(enabled(before, now), now) };
      await deps.subscriptions.announceWork(subscription, after.health, {
        now,
        nextUuid: deps.nextUuid,
        writes: await auditWrites(`enables the ${before.state} endpoint of ${subscription.subscriptionId}`, deps),
        replyWrites: deps.replyWrites?.(after),
      });
      return after;
    },
    deps,
  );
}
