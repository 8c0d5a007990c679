import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { ConditionFailedError, defineEntity, isNew, isStill, type Key, Repository } from '../table/table-client.ts';

/** How far the reconciliation of a day has come. This item does not grow with the table. */
export const ReconciliationProgress = z.object({
  startedAt: z.string(),
  /** The last key that was looked at. Absent at the beginning and at the end. */
  position: z.optional(z.object({ pk: z.string(), sk: z.string() })),
  accounts: z.int(),
  transactions: z.int(),
  /** Violations that are certain. */
  mismatches: z.int(),
  /** Accounts and transactions that were not compared, because they changed between every two readings. */
  moving: z.int(),
  /** Counts the writes, so that only one of two simultaneous runs goes on. */
  revision: z.int(),
  finishedAt: z.optional(z.string()),
});
export type ReconciliationProgress = z.infer<typeof ReconciliationProgress>;

const progress = defineEntity(ReconciliationProgress, () => ({
  pk: `${partitions.sequence}reconcile-daily`,
  sk: 'RECONCILIATION',
}));

/** The progress of the reconciliation that runs every day. */
export class Reconciliations extends Repository {
  async find(): Promise<ReconciliationProgress | undefined> {
    const item = await this.table.get(progress.key());
    return item && progress.parse(item);
  }

  /**
   * Writes the progress after `before`.
   *
   * @returns false when another run has written meanwhile
   */
  async save(after: ReconciliationProgress, before: ReconciliationProgress | undefined): Promise<boolean> {
    const when = before ? [isStill('revision', before.revision)] : isNew;
    try {
      await this.table.write({ kind: 'put', item: progress.item(progress.key(), after), when });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

/** An account or a transaction to compare with the ledger. */
export type BookKey =
  | { readonly kind: 'account'; readonly userId: number; readonly partnerId: number }
  | { readonly kind: 'transaction'; readonly id: number };

/** Some keys, and the position after them. Without a position, they are the last keys. */
export interface BookKeys {
  readonly keys: readonly BookKey[];
  readonly position?: Key;
}

/**
 * Lists the keys of accounts and transactions, page by page. The scan reads the keys of all items, but no other
 * attribute. The role of the function allows no more. Eventually consistent: an account that was written a moment
 * before may be missing until the next day.
 */
export class KeyScan {
  readonly #documents: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #limit: number | undefined;

  /** @param limit items to look at for a page; by default as many as DynamoDB reads at once, 1 MB */
  constructor(documents: DynamoDBDocumentClient, tableName: string, limit?: number) {
    this.#documents = documents;
    this.#tableName = tableName;
    this.#limit = limit;
  }

  async after(position: Key | undefined): Promise<BookKeys> {
    const { Items = [], LastEvaluatedKey } = await this.#documents.send(
      new ScanCommand({
        TableName: this.#tableName,
        ProjectionExpression: 'pk, sk',
        FilterExpression:
          '(begins_with(pk, :user) AND begins_with(sk, :program)) OR (begins_with(pk, :transaction) AND sk = :sort)',
        ExpressionAttributeValues: {
          ':user': partitions.user,
          ':program': programPrefix,
          ':transaction': partitions.transaction,
          ':sort': 'TRANSACTION',
        },
        Limit: this.#limit,
        ExclusiveStartKey: position && { pk: position.pk, sk: position.sk },
      }),
    );
    const keys = Items.map((item) => toBookKey(String(item.pk), String(item.sk)));
    return LastEvaluatedKey
      ? { keys, position: { pk: String(LastEvaluatedKey.pk), sk: String(LastEvaluatedKey.sk) } }
      : { keys };
  }
}

const programPrefix = 'PROGRAM#';

function toBookKey(pk: string, sk: string): BookKey {
  if (pk.startsWith(partitions.transaction)) {
    return { kind: 'transaction', id: Number(pk.slice(partitions.transaction.length)) };
  }
  const [userId, partnerId] = [pk.slice(partitions.user.length), sk.slice(programPrefix.length)].map(Number);
  return { kind: 'account', userId: userId ?? 0, partnerId: partnerId ?? 0 };
}
