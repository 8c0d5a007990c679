import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type Partition, partitions } from '../../../shared/contracts/table.ts';
import type { Item } from '../../../shared/store/table/items.ts';

/** A table that may be read as a whole. No function may; operators and tests do. */
export interface WholeTable {
  readonly name: string;
  readonly documents: DynamoDBDocumentClient;
}

/** Every item of some partitions, page by page; strongly consistent one by one, but not of one moment. */
export async function* scan({ name, documents }: WholeTable, wanted: readonly Partition[]): AsyncGenerator<Item> {
  const values = Object.fromEntries(wanted.map((partition, index) => [`:p${index}`, partitions[partition]]));
  let from: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({
        TableName: name,
        ConsistentRead: true,
        FilterExpression: Object.keys(values)
          .map((value) => `begins_with(pk, ${value})`)
          .join(' OR '),
        ExpressionAttributeValues: values,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield* (page.Items ?? []) as Item[];
    from = page.LastEvaluatedKey;
  } while (from);
}

/** The partition that an item is in. */
export function partitionOf({ pk }: Item): Partition | undefined {
  const prefix = pk.slice(0, pk.indexOf('#') + 1);
  return (Object.keys(partitions) as Partition[]).find((partition) => partitions[partition] === prefix);
}
