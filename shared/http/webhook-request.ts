import * as z from 'zod/mini';
import { type Contract, defineContract, notificationPartnerKey } from '../contracts/contract.ts';
import { describeCodes, described } from '../contracts/described.ts';
import { entityTypes, eventEntities, eventNames } from '../contracts/events.ts';
import { maximumCharacters } from '../contracts/limits.ts';
import type { TableAccess, TableAction } from '../contracts/table.ts';
import type { Selector } from '../webhooks/subscription.ts';
import { optional, pathId, text } from './wire.ts';

/** The fields that select a subscription in endpoints 13 and 14. */
const selectorFields = {
  event_name: described(
    'Without it, all events of the entity type. Without both, all events.',
    optional(z.pipe(text(), z.enum(eventNames))),
  ),
  entity_type: described(`${describeCodes(entityTypes)}.`, optional(z.enum(entityTypes))),
};

/**
 * The body of a request about a subscription: its selector and the URL of its endpoint.
 *
 * @param minimumCharacters the minimum length of the URL; 0 allows an empty text
 */
export const subscriptionRequest = (minimumCharacters = 1) =>
  z
    .object({
      endpoint: described('The URL that receives the webhooks; https.', text(maximumCharacters.url, minimumCharacters)),
      ...selectorFields,
    })
    .check(
      z.refine(isConsistent, {
        path: ['entity_type'],
        error: 'is not the entity that the event is about',
        params: { code: 'contradictory' },
      }),
    );

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

/**
 * Defines an API endpoint about the webhooks of the caller's organisation.
 *
 * @param contract without the host and the credential, which are the same for all
 */
export function webhookContract<
  Query extends z.ZodMiniObject,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
  Identifier extends string,
  Params extends z.ZodMiniObject = z.ZodMiniObject,
>(
  contract: Omit<
    Contract<Params, Query, Body, Data, Identifier, 'partnerKey', 'notification', false>,
    keyof typeof common | 'errorField'
  >,
): Contract<Params, Query, Body, Data, Identifier, 'partnerKey', 'notification', false> {
  return defineContract({ ...common, ...contract });
}

const common = { host: 'notification', credential: notificationPartnerKey } as const;

/** The path parameters of API endpoints about one subscription. */
export const subscriptionParams = z.object({ subscription_id: described('UUID of the subscription.', pathId) });
/** The path parameters of API endpoints about one delivery of a subscription. */
export const deliveryParams = z.extend(subscriptionParams, {
  event_id: described('UUID of the event: the same in every retry and replay.', pathId),
});
/** The path parameters of API endpoints about one replay of a subscription. */
export const replayParams = z.extend(subscriptionParams, {
  replay_id: described('A replay; in the health of an endpoint, the one that is in progress.', pathId),
});

/** The refusals of all requests about one subscription. */
const endpointRefusals = { subscription_not_found: 404, unauthorized_partner: 401 } as const;
type EndpointRefusal = keyof typeof endpointRefusals;

/** The errors that lead to {@link endpointRefusals}. */
const endpointErrors = {
  SubscriptionNotFoundError: 'subscription_not_found',
  SubscriptionNotReadableError: 'unauthorized_partner',
} as const;

/**
 * Defines an API endpoint about one subscription that the caller may read. Adds to the contract the refusals and errors
 * that all these endpoints share. A malformed id in the path is refused with `subscription_not_found` by default.
 */
export function subscriptionContract<
  Query extends z.ZodMiniObject,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
  Identifier extends string,
  Params extends z.ZodMiniObject,
>(
  contract: Omit<
    Contract<Params, Query, Body, Data, Identifier, 'partnerKey', 'notification', false>,
    keyof typeof common | 'errorField'
  >,
): Contract<Params, Query, Body, Data, Identifier | EndpointRefusal, 'partnerKey', 'notification', false> {
  const refusals: Readonly<Record<EndpointRefusal, number>> & typeof contract.refusals = {
    ...endpointRefusals,
    ...contract.refusals,
  };
  return webhookContract({
    notFound: 'subscription_not_found',
    ...contract,
    refusals,
    errors: { ...endpointErrors, ...contract.errors },
  });
}

/**
 * The table access of requests that ask for replays or test events. They park a delivery, change the health of its
 * endpoint, and announce the next run for the endpoint.
 */
export const announcingAccess = (...reads: readonly TableAction[]): TableAccess => ({
  table: { webhook: ['Query', 'UpdateItem'], delivery: [...reads, 'PutItem'], outbox: ['PutItem'] },
});
