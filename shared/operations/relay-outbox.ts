import type { RelayedEvent } from '../contracts/events.ts';
import type { EventBus } from '../events/event-bus.ts';
import { eventsIn } from '../store/outbox/outbox.ts';
import type { Item } from '../store/table/table-client.ts';
import type { Deps } from './operation.ts';

export { addsEvents } from '../store/outbox/outbox.ts';

export interface RelayDeps extends Pick<Deps, 'log'> {
  readonly bus: Pick<EventBus, 'publish'>;
}

/**
 * Publishes the events of items on the bus, in the order of the items. A repetition may publish some events twice.
 *
 * @returns how many items, from the first on, have all their events published; the caller has to retry the others
 */
export async function relayOutbox(items: readonly Item[], { bus, log }: RelayDeps): Promise<number> {
  const readable = readableEvents(items, log);
  const events = readable.flat();
  const published = await bus.publish(events);
  if (published === events.length) return readable.length;
  log.error('outbox.not_published', { published, of: events.length });
  const isPublished = (_: unknown, position: number) => readable.slice(0, position + 1).flat().length <= published;
  return readable.filter(isPublished).length;
}

/**
 * The events of the items before the first unreadable item, one list per item. Later events must not overtake the
 * unreadable item.
 */
function readableEvents(items: readonly Item[], log: RelayDeps['log']): RelayedEvent[][] {
  const events: RelayedEvent[][] = [];
  for (const item of items) {
    try {
      events.push(eventsIn(item));
    } catch (error) {
      log.error('outbox.unreadable', { key: item.pk, error });
      break;
    }
  }
  return events;
}
