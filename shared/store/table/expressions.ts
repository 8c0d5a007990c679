import type { QueryCommandInput, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type TableIndex, tableIndexes, tableKey } from '../../contracts/table.ts';
import type { Changes, Check, Condition, Key, Write } from './items.ts';

/** Converts writes and queries to DynamoDB's requests. Only this file escapes names and values. */

/** The placeholders of an expression, collected while its text is made. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};

  name(attribute: string): string {
    const placeholder = `#${attribute}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The parameters of a command, without the empty ones, which DynamoDB refuses. */
  get parameters() {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

/** The text of a `ConditionExpression` that requires all conditions. */
export function conditionText(conditions: readonly Condition[], placeholders: Placeholders): string {
  return conditions
    .map((condition) => {
      const name = placeholders.name(condition.attribute);
      switch (condition.is) {
        case 'absent':
          return `attribute_not_exists(${name})`;
        case 'present':
          return `attribute_exists(${name})`;
        case 'at-most':
          return `(attribute_not_exists(${name}) OR ${name} <= ${placeholders.value(condition.value)})`;
        case 'without':
          return `NOT contains(${name}, ${placeholders.value(condition.value)})`;
        case 'in':
          return `${name} IN (${condition.values.map((value) => placeholders.value(value)).join(', ')})`;
        case 'equal-while': {
          const other = placeholders.name(condition.present);
          return `(attribute_not_exists(${other}) OR ${name} = ${placeholders.value(condition.value)})`;
        }
        default:
          return `${name} ${condition.is} ${placeholders.value(condition.value)}`;
      }
    })
    .join(' AND ');
}

/** The text of an `UpdateExpression`. */
export function changeText(
  { set = {}, add = {}, take = {}, remove = [] }: Changes,
  placeholders: Placeholders,
): string {
  const clause = (keyword: string, parts: readonly string[]) =>
    parts.length > 0 ? [`${keyword} ${parts.join(', ')}`] : [];
  const pair =
    (separator: string) =>
    ([attribute, value]: readonly [string, unknown]) =>
      `${placeholders.name(attribute)}${separator}${placeholders.value(value)}`;
  return [
    ...clause('SET', Object.entries(set).map(pair(' = '))),
    ...clause('ADD', Object.entries(add).map(pair(' '))),
    ...clause('DELETE', Object.entries(take).map(pair(' '))),
    ...clause(
      'REMOVE',
      remove.map((attribute) => placeholders.name(attribute)),
    ),
  ].join(' ');
}

/** The parameters of single writes and of parts of transactions. If the condition fails, DynamoDB returns the item. */
export function writeParameters(write: Write | Check, tableName: string) {
  const placeholders = new Placeholders();
  const condition = write.when && write.when.length > 0 ? conditionText(write.when, placeholders) : undefined;
  const update = write.kind === 'update' ? changeText(write.changes, placeholders) : undefined;
  return {
    TableName: tableName,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ...(condition !== undefined && { ConditionExpression: condition }),
    ...(update !== undefined && { UpdateExpression: update }),
    ...placeholders.parameters,
  };
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write as a part of a DynamoDB transaction. */
export function transactItem(write: Write | Check, tableName: string): TransactItem {
  const common = writeParameters(write, tableName);
  switch (write.kind) {
    case 'put':
      return { Put: { ...common, Item: write.item } };
    case 'update':
      return { Update: { ...common, Key: write.key, UpdateExpression: common.UpdateExpression ?? '' } };
    case 'delete':
      return { Delete: { ...common, Key: write.key } };
    case 'check':
      return { ConditionCheck: { ...common, Key: write.key, ConditionExpression: common.ConditionExpression ?? '' } };
  }
}

/** The items that a query reads: a partition of the table or of an index, and a range of its sort keys. */
export interface QueryOptions {
  readonly index?: TableIndex;
  readonly partition: string;
  readonly sortBeginsWith?: string;
  /** Both ends are included. */
  readonly sortBetween?: readonly [first: string, last: string];
  readonly limit?: number;
  readonly descending?: boolean;
  /** The query starts after this key. No item needs to have the key. */
  readonly after?: Key;
}

/** The request of one page; strongly consistent on the table, eventually consistent on an index. */
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

function sortRange({ sortBeginsWith, sortBetween }: Pick<QueryOptions, 'sortBeginsWith' | 'sortBetween'>) {
  if (sortBeginsWith !== undefined) {
    return { text: 'begins_with(#sort, :prefix)', values: { ':prefix': sortBeginsWith } };
  }
  if (sortBetween === undefined) return undefined;
  const [first, last] = sortBetween;
  return { text: '#sort BETWEEN :first AND :last', values: { ':first': first, ':last': last } };
}
