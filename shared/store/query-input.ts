import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type TableIndex, tableIndexes, tableKey } from './table.ts';
import type { Key } from './writes.ts';

/** Where to look, and how much of it. */
export interface QueryOptions {
  readonly index?: TableIndex;
  readonly partition: string;
  readonly sortBeginsWith?: string;
  readonly limit?: number;
  readonly descending?: boolean;
  /** Begins behind this key, whether an item has it or not. */
  readonly after?: Key;
}

/** The query of one page; strongly consistent on the table, which an index cannot be. */
export function queryInput(
  tableName: string,
  { index, partition, sortBeginsWith, limit, descending }: QueryOptions,
  from: Record<string, unknown> | undefined,
): QueryCommandInput {
  const keys = index ? tableIndexes[index] : tableKey;
  const isPrefixed = sortBeginsWith !== undefined;
  return {
    TableName: tableName,
    KeyConditionExpression: isPrefixed
      ? '#partition = :partition AND begins_with(#sort, :prefix)'
      : '#partition = :partition',
    ExpressionAttributeNames: { '#partition': keys.partition, ...(isPrefixed && { '#sort': keys.sort }) },
    ExpressionAttributeValues: { ':partition': partition, ...(isPrefixed && { ':prefix': sortBeginsWith }) },
    ScanIndexForward: descending !== true,
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    ...(limit !== undefined && { Limit: limit }),
    ...(from !== undefined && { ExclusiveStartKey: from }),
  };
}
