import { eventEntities, type PlatformEvent } from '../contracts/events.ts';

/**
 * The raw body of every delivery of an event (specification, "Webhook delivery body"): these three
 * fields in this order and nothing else, so that what one attempt signs every other signs too.
 */
export function deliveryBody(event: PlatformEvent): string {
  return JSON.stringify({ event: event.name, entity: eventEntities[event.name], entity_id: event.entityId });
}
