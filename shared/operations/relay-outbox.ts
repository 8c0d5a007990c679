import type { BusEvent } from '../contracts/events.ts';
import type { EventBus } from '../events/event-bus.ts';
import { outboxEventOf } from '../store/outbox/outbox.ts';
import type { Item } from '../store/table/table-client.ts';
import type { Deps } from './operation.ts';

export interface RelayDeps extends Pick<Deps, 'log'> {
  readonly bus: Pick<EventBus, 'publish'>;
}

/**
 * Publishes the events of outbox items on the bus, in their order. A repetition may publish some twice.
 *
 * @returns the number of published items, counted from the first; the caller has to retry the others
 */
export async function relayOutbox(items: readonly Item[], { bus, log }: RelayDeps): Promise<number> {
  const events = readableEvents(items, log);
  const published = await bus.publish(events);
  if (published < events.length) log.error('outbox.not_published', { published, of: events.length });
  return published;
}

/** The events before the first unreadable item. The events behind it must not overtake it. */
function readableEvents(items: readonly Item[], log: RelayDeps['log']): BusEvent[] {
  const events: BusEvent[] = [];
  for (const item of items) {
    try {
      events.push(outboxEventOf(item));
    } catch (error) {
      log.error('outbox.unreadable', { key: item.pk, error });
      break;
    }
  }
  return events;
}
