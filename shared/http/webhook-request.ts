import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames } from '../contracts/events.ts';
import type { TableAccess } from '../contracts/table.ts';
import type { EndpointRequest } from '../operations/webhook/find-endpoint.ts';
import type { Selector } from '../webhooks/subscription.ts';
import type { OrganisationCaller } from './request.ts';
import { optional, pathId, text } from './wire.ts';

/** The fields that select a subscription in endpoints 13 and 14. */
const selectorFields = {
  event_name: optional(z.pipe(text(), z.enum(eventNames))),
  entity_type: optional(z.enum(entityTypes)),
};

/** The body of a request about a subscription: its selector and an endpoint. */
export function subscriptionRequest<Endpoint extends z.ZodMiniType<string>>(endpoint: Endpoint) {
  return z.object({ endpoint, ...selectorFields }).check(
    z.refine(isConsistent, {
      path: ['entity_type'],
      error: 'is not the entity that the event is about',
      params: { code: 'contradictory' },
    }),
  );
}

/** The selector of a request about a subscription. */
export function selectorOf({ event_name, entity_type }: SelectorFields): Selector {
  return {
    ...(event_name !== undefined && { eventName: event_name }),
    ...(entity_type !== undefined && { entityType: entity_type }),
  };
}

type SelectorFields = z.infer<z.ZodMiniObject<typeof selectorFields>>;

function isConsistent({ event_name, entity_type }: SelectorFields): boolean {
  return event_name === undefined || entity_type === undefined || eventEntities[event_name] === entity_type;
}

/** The id of a subscription in a path. */
export const subscriptionParams = { subscription_id: pathId };

/** The refusals of all requests about one subscription. */
export const endpointRefusals = { subscription_not_found: 404, unauthorized_partner: 401 } as const;

/** The errors behind {@link endpointRefusals}. */
export const endpointErrors = {
  SubscriptionNotFoundError: 'subscription_not_found',
  SubscriptionNotReadableError: 'unauthorized_partner',
} as const;

/** The table access of requests that give an endpoint work: its health, the announcement, the parked delivery. */
export const announcingAccess: TableAccess = {
  table: { webhook: ['Query', 'UpdateItem'], delivery: ['GetItem', 'Query', 'PutItem'], outbox: ['PutItem'] },
};

/** A request of an organisation about one of its subscriptions. */
export const endpointRequestOf = (
  { organisationId, permissions }: OrganisationCaller,
  params: { readonly subscription_id: string },
): EndpointRequest => ({ organisationId, permissions, subscriptionId: params.subscription_id });
