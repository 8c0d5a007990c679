import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames } from '../contracts/events.ts';

const EntityType = z.enum(entityTypes);

/**
 * What a subscription listens to, and its identity within its organisation: one event, every event of
 * an entity, one event named together with its entity, or (neither) everything.
 */
export const Selector = z.object({
  eventName: z.optional(z.enum(eventNames)),
  entityType: z.optional(EntityType),
});
export type Selector = z.infer<typeof Selector>;

/** Where to find a subscription, and which one is meant should another have taken its place. */
export const SubscriptionRef = z.extend(Selector, {
  organisationId: z.int(),
  subscriptionId: z.uuid(),
});
export type SubscriptionRef = z.infer<typeof SubscriptionRef>;

/** An organisation's endpoint and what it listens to. */
export const Subscription = z.extend(SubscriptionRef, {
  endpointUrl: z.string(),
  /** The key of the signatures; see signature.ts. */
  salt: z.string(),
  /** The entity types that the key which subscribed may read; events of others are not told. */
  readableEntityTypes: z.array(EntityType),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Subscription = z.infer<typeof Subscription>;

/** The permission that makes things of an entity type readable. */
const readPermissions = [
  ['users:read', entityTypes.USER],
  ['campaigns:read', entityTypes.CAMPAIGN],
  ['transactions:read', entityTypes.TRANSACTION],
] as const;

/** The entity types that a credential with these permissions may read, and so may be told about. */
export function readableEntityTypes(permissions: readonly string[]): Subscription['readableEntityTypes'] {
  return readPermissions.filter(([permission]) => permissions.includes(permission)).map(([, type]) => type);
}

/** The entity types whose events a selector can match. */
export function selectedEntityTypes({ eventName, entityType }: Selector): Subscription['readableEntityTypes'] {
  if (eventName !== undefined) return [eventEntities[eventName]];
  if (entityType !== undefined) return [entityType];
  return Object.values(entityTypes);
}
