import { eventEntities, type PlatformEvent } from '../contracts/events.ts';
import type { Selector, Subscription } from './subscription.ts';

/** Whether an event is among those that a selector names; absent fields match everything. */
export function selects({ eventName, entityType }: Selector, name: PlatformEvent['name']): boolean {
  return (
    (eventName === undefined || eventName === name) && (entityType === undefined || entityType === eventEntities[name])
  );
}

/** An event by name says more than an entity; both say the most. No two selectors of one event are equal. */
function specificity({ eventName, entityType }: Selector): number {
  return (eventName === undefined ? 0 : 2) + (entityType === undefined ? 0 : 1);
}

/**
 * Which of ONE organisation's subscriptions hear an event, in a fixed order. Where several have the same
 * URL it hears the event once, signed for the most specific of them (docs/gaps.md, endpoint 13).
 */
export function subscriptionsHearing(event: PlatformEvent, subscriptions: readonly Subscription[]): Subscription[] {
  const matching = subscriptions
    .filter((subscription) => selects(subscription, event.name))
    .filter((subscription) => subscription.readableEntityTypes.includes(eventEntities[event.name]))
    .toSorted(
      (one, other) =>
        specificity(other) - specificity(one) || one.subscriptionId.localeCompare(other.subscriptionId, 'en'),
    );

  const byUrl = Map.groupBy(matching, (subscription) => subscription.endpointUrl);
  return [...byUrl.values()].flatMap((sameUrl) => sameUrl.slice(0, 1));
}
