import * as z from 'zod/mini';
import { entityTypes, eventEntities, eventNames } from '../contracts/events.ts';
import type { Selector } from '../webhooks/subscription.ts';
import { optional, text } from './wire.ts';

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
