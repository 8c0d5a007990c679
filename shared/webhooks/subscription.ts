import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames, type PlatformEvent } from '../contracts/events.ts';
import { EndpointHealth } from './endpoint-health.ts';

const EntityType = z.enum(entityTypes);
export type EntityType = z.infer<typeof EntityType>;

/**
 * The events of a subscription, and its identity within its organisation: one event, all events of an entity
 * type, one event named with its entity type, or all events if neither is given.
 */
export const Selector = z.object({
  eventName: z.optional(z.enum(eventNames)),
  entityType: z.optional(EntityType),
});
export type Selector = z.infer<typeof Selector>;

/** The selector of a subscription, with its id. A later subscription with the same selector has a different id. */
export const SubscriptionRef = z.extend(Selector, {
  organisationId: z.int(),
  subscriptionId: z.uuid(),
  /**
   * The time of the last change of URL or salt, as the writer of the reference knew it. A reader whose cached copy is
   * older reads the subscription again.
   */
  updatedAt: z.optional(z.iso.datetime()),
});
export type SubscriptionRef = z.infer<typeof SubscriptionRef>;

/** An organisation's endpoint and the events that it receives. */
export const Subscription = z.extend(SubscriptionRef, {
  endpointUrl: z.string(),
  /** The key of the signatures; see delivery-request.ts. */
  salt: z.string(),
  /** The salt that replaces `salt` at `activatesAt`; see delivery-request.ts. */
  nextSalt: z.optional(z.object({ salt: z.string(), activatesAt: z.iso.datetime() })),
  /** The entity types that the subscribing key may read; the endpoint receives no other events. */
  readableEntityTypes: z.array(EntityType),
  /** Absent until the first attempt, and after the URL has changed. */
  health: z.optional(EndpointHealth),
  /** The times of the last test events. They limit how many are sent; a new URL does not begin anew. */
  testedAt: z.optional(z.array(z.iso.datetime())),
  /** Counts the changes of `health`, so that two writers do not overwrite each other's changes. */
  healthVersion: z.optional(z.int()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Subscription = z.infer<typeof Subscription>;

/** The permission to read each entity type. */
const readPermissions = [
  ['users:read', entityTypes.USER],
  ['campaigns:read', entityTypes.CAMPAIGN],
  ['transactions:read', entityTypes.TRANSACTION],
  ['webhooks:read', entityTypes.WEBHOOK],
  ['orders:read', entityTypes.ORDER],
] as const;

/** The entity types that a credential with these permissions may read. */
export function readableEntityTypes(permissions: readonly string[]): EntityType[] {
  return readPermissions.filter(([permission]) => permissions.includes(permission)).map(([, type]) => type);
}

/** The entity types of the events that a selector can match. */
export function selectedEntityTypes({ eventName, entityType }: Selector): EntityType[] {
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

/**
 * A name is more specific than an entity type. Both together are the most specific. Two selectors that match one event
 * are never equally specific.
 */
function specificity({ eventName, entityType }: Selector): number {
  return (eventName === undefined ? 0 : 2) + (entityType === undefined ? 0 : 1);
}

/**
 * Returns the subscriptions of ONE organisation that receive an event, in a stable order. A URL receives an event once.
 * If several of its subscriptions match, the most specific subscription signs the event (docs/gaps.md, endpoint 13).
 */
export function matchingSubscriptions(event: PlatformEvent, subscriptions: readonly Subscription[]): Subscription[] {
  const matching = subscriptions
    .filter((subscription) => selectorMatches(subscription, event.name))
    // An endpoint receives no events about its own health, because it could not receive them while it does not work.
    .filter(({ subscriptionId }) => subscriptionId !== event.entityId)
    .filter((subscription) => subscription.readableEntityTypes.includes(eventEntities[event.name]))
    .toSorted(
      (one, other) =>
        specificity(other) - specificity(one) || one.subscriptionId.localeCompare(other.subscriptionId, 'en'),
    );

  const byUrl = Map.groupBy(matching, (subscription) => subscription.endpointUrl);
  return [...byUrl.values()].flatMap((sameUrl) => sameUrl.slice(0, 1));
}
