import { maximumCount } from '../../contracts/limits.ts';
import { type EndpointStatistics, statisticsOf } from '../../webhooks/delivery.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import type { Deps } from '../operation.ts';
import { type EndpointRequest, findEndpoint, type getEndpointStores } from './find-endpoint.ts';

/** Deliveries that wait in the table. */
interface Backlog {
  readonly count: number;
  /** Whether more deliveries wait than were counted. */
  readonly hasMore: boolean;
  /** The time of the oldest event that waits. */
  readonly oldestAt: string | undefined;
}

/** A subscription with the results of its last deliveries, and the deliveries that wait. */
export interface EndpointOverview {
  readonly subscription: Subscription;
  readonly statistics: EndpointStatistics;
  readonly backlog: Backlog;
}

/**
 * Loads a subscription, the statistics of its last deliveries, and its backlog.
 *
 * @throws SubscriptionNotFoundError
 */
export async function getEndpoint(
  request: Omit<EndpointRequest, 'permissions'>,
  deps: Deps<typeof getEndpointStores>,
): Promise<EndpointOverview> {
  const subscription = await findEndpoint(request, deps);
  const { subscriptionId } = subscription;
  const [latest, counted, parked] = await Promise.all([
    deps.deliveries.list(subscriptionId, { limit: maximumCount.pageItems }),
    deps.deliveries.countParked(subscriptionId, maximumCount.countedParked),
    deps.deliveries.oldestParked(subscriptionId, { limit: 1 }),
  ]);
  return {
    subscription,
    statistics: statisticsOf(latest.items),
    backlog: { ...counted, oldestAt: parked.items[0]?.event.occurredAt },
  };
}
