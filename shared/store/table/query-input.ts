import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type TableIndex, tableIndexes, tableKey } from '../../contracts/table.ts';
import type { Key } from './writes.ts';

/** Where to look, and how much of it. */
export interface QueryOptions {
  readonly index?: TableIndex;
  readonly partition: string;
  readonly sortBeginsWith?: string;
  /** The first and the last sort key wanted. */
  readonly sortBetween?: readonly [first: string, last: string];
  readonly limit?: number;
  readonly descending?: boolean;
  /** Begins behind this key, whether an item has it or not. */
  readonly after?: Key;
}

/** The query of one page; strongly consistent on the table, which an index cannot be. */
export function queryInput(
  tableName: string,
  { index, partition, limit, descending, ...sort }: QueryOptions,
  from: Record<string, unknown> | undefined,
): QueryCommandInput {
  const keys = index ? tableIndexes[index] : tableKey;
  const range = sortRange(sort);
  return {
    TableName: tableName,
    KeyConditionExpression: `#partition = :partition${range ? ` AND ${range.text}` : ''}`,
    ExpressionAttributeNames: { '#partition': keys.partition, ...(range && { '#sort': keys.sort }) },
    ExpressionAttributeValues: { ':partition': partition, ...range?.values },
    ScanIndexForward: descending !== true,
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    ...(limit !== undefined && { Limit: limit }),
    ...(from !== undefined && { ExclusiveStartKey: from }),
  };
}

/** The condition on sort keys, when there is one. */
function sortRange({ sortBeginsWith, sortBetween }: Pick<QueryOptions, 'sortBeginsWith' | 'sortBetween'>) {
  if (sortBeginsWith !== undefined) {
    return { text: 'begins_with(#sort, :prefix)', values: { ':prefix': sortBeginsWith } };
  }
  if (sortBetween === undefined) return undefined;
  const [first, last] = sortBetween;
  return { text: '#sort BETWEEN :first AND :last', values: { ':first': first, ':last': last } };
}
