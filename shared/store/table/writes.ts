import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Changes, type Condition, changeText, conditionText, Placeholders } from './expression.ts';

/** The key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item as it lies in the table. */
export type Item = Record<string, unknown> & Key;

/** One write to one item, on its conditions. */
export type Write =
  | { readonly kind: 'put'; readonly item: Item; readonly when?: readonly Condition[] }
  | { readonly kind: 'update'; readonly key: Key; readonly changes: Changes; readonly when?: readonly Condition[] }
  | { readonly kind: 'delete'; readonly key: Key; readonly when?: readonly Condition[] };

/** A part of a transaction that changes nothing: only its conditions have to hold. */
export interface Check {
  readonly kind: 'check';
  readonly key: Key;
  readonly when: readonly Condition[];
}

/** The condition that an item is new. */
export const isNew: readonly Condition[] = [{ attribute: 'pk', is: 'absent' }];

/** The condition that an item is there. */
export const exists: readonly Condition[] = [{ attribute: 'pk', is: 'present' }];

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write as a part of a transaction; a failed condition comes back with the item it met. */
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

/** What single writes and transactions have in common. */
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
