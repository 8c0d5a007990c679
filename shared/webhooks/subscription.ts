import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames, type PlatformEvent } from '../contracts/events.ts';

const EntityType = z.enum(entityTypes);

/**
 * The events of a subscription, and its identity within its organisation: one event, all events of an entity
 * type, one event named with its entity type, or (neither) all events.
 */
export const Selector = z.object({
  eventName: z.optional(z.enum(eventNames)),
  entityType: z.optional(EntityType),
});
export type Selector = z.infer<typeof Selector>;

/** The place of a subscription, with its id: a later subscription in the same place has another. */
export const SubscriptionRef = z.extend(Selector, {
  organisationId: z.int(),
  subscriptionId: z.uuid(),
});
export type SubscriptionRef = z.infer<typeof SubscriptionRef>;

/** An organisation's endpoint and the events that it receives. */
export const Subscription = z.extend(SubscriptionRef, {
  endpointUrl: z.string(),
  /** The key of the signatures; see signature.ts. */
  salt: z.string(),
  /** The entity types that the subscribing key may read; the endpoint receives no other events. */
  readableEntityTypes: z.array(EntityType),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Subscription = z.infer<typeof Subscription>;

/** The permission to read each entity type. */
const readPermissions = [
  ['users:read', entityTypes.USER],
  ['campaigns:read', entityTypes.CAMPAIGN],
  ['transactions:read', entityTypes.TRANSACTION],
] as const;

/** The entity types that a credential with these permissions may read. */
export function readableEntityTypes(permissions: readonly string[]): Subscription['readableEntityTypes'] {
  return readPermissions.filter(([permission]) => permissions.includes(permission)).map(([, type]) => type);
}

/** The entity types of the events that a selector can match. */
export function selectedEntityTypes({ eventName, entityType }: Selector): Subscription['readableEntityTypes'] {
  if (eventName !== undefined) return [eventEntities[eventName]];
  if (entityType !== undefined) return [entityType];
  return Object.values(entityTypes);
}

/** Whether a selector matches an event. An absent field matches every event. */
export function selectorMatches({ eventName, entityType }: Selector, name: PlatformEvent['name']): boolean {
  return (
    (eventName === undefined || eventName === name) && (entityType === undefined || entityType === eventEntities[name])
  );
}

/** A name is more specific than an entity type, both are the most specific. No two selectors of one event are equal. */
function specificity({ eventName, entityType }: Selector): number {
  return (eventName === undefined ? 0 : 2) + (entityType === undefined ? 0 : 1);
}

/**
 * Returns the subscriptions of ONE organisation that receive an event, in a stable order. A URL receives an event
 * once: of its subscriptions, the most specific signs it (docs/gaps.md, endpoint 13).
 */
export function matchingSubscriptions(event: PlatformEvent, subscriptions: readonly Subscription[]): Subscription[] {
  const matching = subscriptions
    .filter((subscription) => selectorMatches(subscription, event.name))
    .filter((subscription) => subscription.readableEntityTypes.includes(eventEntities[event.name]))
    .toSorted(
      (one, other) =>
        specificity(other) - specificity(one) || one.subscriptionId.localeCompare(other.subscriptionId, 'en'),
    );

  const byUrl = Map.groupBy(matching, (subscription) => subscription.endpointUrl);
  return [...byUrl.values()].flatMap((sameUrl) => sameUrl.slice(0, 1));
}
