import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames, PlatformEvent } from '../contracts/events.ts';
import { AttemptOutcome } from './attempt-outcome.ts';

const EntityType = z.enum(entityTypes);
export type EntityType = z.infer<typeof EntityType>;

/**
 * The events of a subscription, and its identity within its organisation: one event, all events of an entity
 * type, one event named with its entity type, or (neither) all events.
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
});
export type SubscriptionRef = z.infer<typeof SubscriptionRef>;

/** An organisation's endpoint and the events that it receives. */
export const Subscription = z.extend(SubscriptionRef, {
  endpointUrl: z.string(),
  /** The key of the signatures; see delivery-request.ts. */
  salt: z.string(),
  /** The salt that replaces `salt`, from an instant on; see salt-rotation.ts. */
  nextSalt: z.optional(z.object({ salt: z.string(), activatesAt: z.iso.datetime() })),
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
    .filter((subscription) => subscription.readableEntityTypes.includes(eventEntities[event.name]))
    .toSorted(
      (one, other) =>
        specificity(other) - specificity(one) || one.subscriptionId.localeCompare(other.subscriptionId, 'en'),
    );

  const byUrl = Map.groupBy(matching, (subscription) => subscription.endpointUrl);
  return [...byUrl.values()].flatMap((sameUrl) => sameUrl.slice(0, 1));
}

/** 1 for the first. */
const attempt = z.int().check(z.gte(1));
const identity = { event: PlatformEvent, subscription: SubscriptionRef };

/**
 * One attempt of one delivery, as a message in the deliver queue. URL and salt are not in the message. They are read at
 * the attempt, so a changed endpoint applies to waiting messages too.
 */
export const DeliveryMessage = z.object({ ...identity, attempt });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** Deliveries to one endpoint are one group. So a slow endpoint does not delay deliveries to other endpoints. */
export const deliveryGroup = ({ subscription }: DeliveryMessage): string => subscription.subscriptionId;

/** The message of the first attempt. */
export function firstAttempt(event: PlatformEvent, subscription: Subscription): DeliveryMessage {
  // The parse keeps only the reference. The message must not contain the salt.
  return { event, subscription: SubscriptionRef.parse(subscription), attempt: 1 };
}

const attempted = { attempt, endpointUrl: z.string(), at: z.iso.datetime(), outcome: AttemptOutcome };

/** An attempt that did not deliver. */
export const FailedAttempt = z.object({ ...identity, ...attempted, nextAttemptAt: z.nullable(z.iso.datetime()) });
export type FailedAttempt = z.infer<typeof FailedAttempt>;

/** A delivery without further attempts: delivered, or dropped because its subscription was deleted. */
export const FinalizedDelivery = z.discriminatedUnion('state', [
  z.object({ state: z.literal('delivered'), ...identity, ...attempted }),
  z.object({ state: z.literal('dropped'), ...identity, at: z.iso.datetime(), reason: z.literal('unsubscribed') }),
]);
export type FinalizedDelivery = z.infer<typeof FinalizedDelivery>;

/** A delivery that waits until its endpoint works again. */
export const ParkedDelivery = z.object({
  /** The message of the next attempt, for the deliver queue. */
  message: DeliveryMessage,
  parkedAt: z.iso.datetime(),
  /** The end of the pause that the endpoint asked for with Retry-After. */
  notBefore: z.iso.datetime(),
});
export type ParkedDelivery = z.infer<typeof ParkedDelivery>;
