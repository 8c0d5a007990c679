import type { DynamoDBStreamEvent } from 'aws-lambda';
import { countChanges, countChangesStores } from '../../../shared/operations/count-changes.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { newItemOf } from '../../../shared/runtime/stream.ts';

const deps = once(() => withStores(runtime(), countChangesStores));

/** A batch that fails is delivered again in halves; its changes are still counted once. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  await countChanges(Records.map(newItemOf), deps());
}
