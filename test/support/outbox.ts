import { BusEvent } from '../../shared/contracts/events.ts';
import { outboxAttribute, partitions } from '../../shared/contracts/table.ts';
import { eventsIn } from '../../shared/store/outbox/outbox.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import type { World } from './world.ts';

/** Returns the events of an item. Fails for an event that this release does not know. */
export const knownEventsIn = (item: Item): BusEvent[] => eventsIn(item).map((event) => BusEvent.parse(event));

/** Returns every event in the table: those of the outbox and those that other items carry. */
export async function outboxEvents({ table }: Pick<World, 'table'>): Promise<BusEvent[]> {
  const items = await table.mirror.items();
  return items
    .filter((item) => item.pk.startsWith(partitions.outbox) || outboxAttribute in item)
    .flatMap(knownEventsIn);
}
