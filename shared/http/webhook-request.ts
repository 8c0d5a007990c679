import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames } from '../contracts/events.ts';
import type { CheckedEndpointUrl } from '../webhooks/endpoint-url.ts';
import type { Selector } from '../webhooks/subscription.ts';
import type { RefusalDetails } from './refusal.ts';
import { optional, text } from './wire.ts';

/** The fields by which endpoints 13 and 14 name a subscription. */
const selectorFields = {
  event_name: optional(z.pipe(text(), z.enum(eventNames))),
  entity_type: optional(z.enum(entityTypes)),
};

/** The body of a request about a subscription: its selector and an endpoint. */
export function subscriptionRequest<Endpoint extends z.ZodMiniType<string>>(endpoint: Endpoint) {
  return z.object({ endpoint, ...selectorFields }).check(
    z.refine(namesOneThing, {
      path: ['entity_type'],
      error: 'is not the entity that the event is about',
      params: { code: 'contradictory' },
    }),
  );
}

/** The selector of such a request. */
export function selectorOf({ event_name, entity_type }: SelectorFields): Selector {
  return {
    ...(event_name !== undefined && { eventName: event_name }),
    ...(entity_type !== undefined && { entityType: entity_type }),
  };
}

/** What a refusal says about an endpoint's URL. */
export function endpointFault({ code, message }: CheckedEndpointUrl & { allowed: false }): RefusalDetails {
  return { faults: [{ pointer: '/endpoint', code, message }] };
}

type SelectorFields = z.infer<z.ZodMiniObject<typeof selectorFields>>;

function namesOneThing({ event_name, entity_type }: SelectorFields): boolean {
  return event_name === undefined || entity_type === undefined || eventEntities[event_name] === entity_type;
}
