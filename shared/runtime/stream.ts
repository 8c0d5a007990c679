import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Item } from '../store/table/items.ts';

/** The item that a record of the table's stream tells about, as it is after the change. */
export function newItemOf({ dynamodb }: DynamoDBRecord): Item {
  return unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>) as Item;
}
