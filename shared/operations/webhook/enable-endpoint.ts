import { enabled, newHealth, withWork } from '../../webhooks/endpoint-health.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { type EndpointRequest, type RequestedDeps, requestWork } from './find-endpoint.ts';

/**
 * Treats a failing or disabled endpoint as working from now on. Sends the deliveries that wait, slowly and the oldest
 * first, and then also new deliveries. Changes nothing when the endpoint works.
 *
 * @returns the subscription; the state of its endpoint is `closed`, which means that the endpoint works
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function enableEndpoint(request: EndpointRequest, deps: RequestedDeps<Subscription>): Promise<Subscription> {
  return requestWork(
    request,
    (subscription, now) => {
      const before = subscription.health ?? newHealth;
      const what = `enables the ${before.state} endpoint of ${subscription.subscriptionId}`;
      if (before.state === 'closed') return { health: undefined, what, result: subscription };
      const health = withWork(enabled(before, now), now);
      return { health, what, result: { ...subscription, health } };
    },
    deps,
  );
}
