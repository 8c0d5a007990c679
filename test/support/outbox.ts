import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { BusEvent } from '../../shared/contracts/events.ts';
import { partitions } from '../../shared/contracts/table.ts';
import { outboxEventOf } from '../../shared/store/outbox/outbox.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import type { World } from './world.ts';

/** Scans the table and returns every event of the outbox. Only tests may scan. */
export async function outboxEvents({ table }: Pick<World, 'table'>): Promise<BusEvent[]> {
  const events: BusEvent[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.documents.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        FilterExpression: 'begins_with(pk, :outbox)',
        ExpressionAttributeValues: { ':outbox': partitions.outbox },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    events.push(...((page.Items ?? []) as Item[]).map(outboxEventOf));
    from = page.LastEvaluatedKey;
  } while (from);
  return events;
}
