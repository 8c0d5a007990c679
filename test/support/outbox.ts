import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { BusEvent } from '../../shared/contracts/events.ts';
import { outboxAttribute, partitions } from '../../shared/contracts/table.ts';
import { eventsIn } from '../../shared/store/outbox/outbox.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import type { World } from './world.ts';

/** Returns the events of an item. Fails for an event that this release does not know. */
export const knownEventsIn = (item: Item): BusEvent[] => eventsIn(item).map((event) => BusEvent.parse(event));

/**
 * Scans the table and returns every event: those of the outbox and those that other items carry. Only tests may scan.
 */
export async function outboxEvents({ table }: Pick<World, 'table'>): Promise<BusEvent[]> {
  const events: BusEvent[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.documents.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        FilterExpression: 'begins_with(pk, :outbox) OR attribute_exists(#outbox)',
        ExpressionAttributeNames: { '#outbox': outboxAttribute },
        ExpressionAttributeValues: { ':outbox': partitions.outbox },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    events.push(...((page.Items ?? []) as Item[]).flatMap(knownEventsIn));
    from = page.LastEvaluatedKey;
  } while (from);
  return events;
}
