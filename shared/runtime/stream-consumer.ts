import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { once } from '../domain/memoize.ts';
import type { Deps, StoreClasses } from '../operations/operation.ts';
import type { Item } from '../store/table/table-client.ts';
import { type Runtime, runtime, withStores } from './runtime.ts';

/** Makes the Lambda of a consumer of the table's stream. A batch that fails comes again, halved. */
export function streamConsumer<Classes extends StoreClasses>(
  stores: Classes,
  handle: (items: readonly Item[], deps: Runtime & Deps<Classes>) => Promise<void>,
) {
  const deps = once(() => withStores(runtime(), stores));
  return async ({ Records }: DynamoDBStreamEvent): Promise<void> => handle(Records.map(newItemOf), deps());
}

/**
 * Handles the inserted items of a batch in their order, and reports the first one that was not handled. The stream
 * then continues with it.
 *
 * @param handle returns how many items, from the first on, it handled
 */
export async function handleInserts(
  { Records }: DynamoDBStreamEvent,
  handle: (items: readonly Item[]) => Promise<number>,
): Promise<DynamoDBBatchResponse> {
  const inserts = Records.filter(({ eventName }) => eventName === 'INSERT');
  const handled = await handle(inserts.map(newItemOf));
  const itemIdentifier = inserts[handled]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: itemIdentifier === undefined ? [] : [{ itemIdentifier }] };
}

/** The item of a record of the table's stream after the change. */
function newItemOf({ dynamodb }: DynamoDBRecord): Item {
  return unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>) as Item;
}
