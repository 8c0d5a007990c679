import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { bookAttributes, bookPartitions, type Partition, partitions } from '../../contracts/table.ts';
import { CounterReading } from '../../domain/reconciliation/counted-totals.ts';
import {
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  isStill,
  type Key,
  Repository,
} from '../table/table-client.ts';

/** One reading of the books: it collects their items on shelves, and then compares shelf by shelf. */
export const BookReading = z.object({
  uuid: z.string(),
  /** 1 for the first reading of a reconciliation, which reads all books. Each later one reads only what differed. */
  number: z.int(),
  /** The number of shelves; all items of a member are on one of them. */
  shelves: z.int(),
  /** The parts of the shelves that were written completely. */
  parts: z.array(z.string()),
  /** The last key that was looked at, while items are collected. */
  position: z.optional(z.object({ pk: z.string(), sk: z.string() })),
  /** The shelf that is compared next; absent while items are collected. */
  comparing: z.optional(z.int()),
  items: z.int(),
  /** Purchases of unknown amount. */
  unknownPurchases: z.int(),
  /** Members who are read again in the next reading, because something differs. */
  suspects: z.int(),
  /** When the counters of totals were read. Absent before that, and in later readings. */
  countersRead: z.optional(CounterReading),
  /** The previous reading. Its shelves store the suspects and the merges that it found. */
  previous: z.optional(z.object({ uuid: z.string(), parts: z.array(z.string()) })),
});
export type BookReading = z.infer<typeof BookReading>;

/** How far the daily reconciliation has come. Its size does not grow with the number of members. */
export const ReconciliationProgress = z.object({
  startedAt: z.string(),
  /** Absent before the first reading, and in the progress of an older release that compared in another way. */
  reading: z.optional(BookReading),
  /** How many items the last reading of all books found. The next such reading needs it for its number of shelves. */
  items: z.optional(z.int()),
  accounts: z.int(),
  transactions: z.int(),
  /** Violations that are certain. */
  mismatches: z.int(),
  /**
   * Members whose mismatches stayed uncertain, because their items changed between all readings, or because too many
   * members differed to read all of them again. For items without a member, it counts their shelf as a member.
   */
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
   * Replaces the progress `before` by `after`.
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

/** Some items of the books, and the position where the next page begins. The last page has no position. */
export interface BookPage {
  readonly items: readonly Item[];
  readonly position?: Key;
}

/** Where a reconciliation reads the books from. */
export interface BookSource {
  /** Reads the page after a position; without a position, the first page. */
  after(position: Key | undefined): Promise<BookPage>;
  /** Required attributes of the items that are not read, each with a value in its place. */
  readonly unread: Readonly<Record<string, unknown>>;
}

/** The partitions of the books, and of the marks of counted ledger entries. Program accounts are read one by one. */
const scanned: readonly Partition[] = [...bookPartitions.filter((name) => name !== 'programAccount'), 'counted'];

/**
 * Whether a reconciliation scans an item: an item of the books, or the mark of a counted entry. People, customers,
 * decisions and refunds are left out.
 */
export const isScanned = ({ pk, sk }: Key): boolean => {
  if (!scanned.some((name) => pk.startsWith(partitions[name]))) return false;
  if (pk.startsWith(partitions.user)) return /^(PROGRAM|MERCHANT|USAGE|SPEND)#|^MERGED$/.test(sk);
  if (pk.startsWith(partitions.transaction)) return sk === 'TRANSACTION';
  if (pk.startsWith(partitions.claim)) return sk === 'CLAIM';
  return !sk.startsWith('REFUND#');
};

/**
 * Reads the items of the books, page by page. It reads only `bookAttributes`, because its role allows no other
 * attribute. Strongly consistent, so a scan contains every item that existed before it began and still exists.
 */
export class BookScan implements BookSource {
  /** Names, texts of operators, tokens. No invariant depends on them. */
  readonly unread = {
    ...{ firstName: '', lastName: '', statusTierId: null, userUuid: '', authenticationId: '' },
    ...{ campaignVersion: 0, flowId: 0, actionId: 0, mergedAt: '', isMoving: false },
    ...{ reason: '-', reference: '-', proposed: { operator: '', actor: null, at: '' } },
  };
  readonly #documents: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #limit: number | undefined;

  /** @param limit items to look at for a page; by default as many as DynamoDB reads at once, 1 MB */
  constructor(documents: DynamoDBDocumentClient, tableName: string, limit?: number) {
    this.#documents = documents;
    this.#tableName = tableName;
    this.#limit = limit;
  }

  async after(position: Key | undefined): Promise<BookPage> {
    const { Items = [], LastEvaluatedKey } = await this.#documents.send(
      new ScanCommand({
        TableName: this.#tableName,
        ConsistentRead: true,
        // The role allows only scans that have this value.
        Select: 'SPECIFIC_ATTRIBUTES',
        ProjectionExpression: bookAttributes.map((_, index) => `#a${index}`).join(', '),
        FilterExpression: scanned.map((_, index) => `begins_with(pk, :p${index})`).join(' OR '),
        ExpressionAttributeNames: Object.fromEntries(bookAttributes.map((name, index) => [`#a${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(scanned.map((name, index) => [`:p${index}`, partitions[name]])),
        Limit: this.#limit,
        ExclusiveStartKey: position && { pk: position.pk, sk: position.sk },
      }),
    );
    const items = Items.map((item): Item => ({ ...item, pk: String(item.pk), sk: String(item.sk) })).filter(isScanned);
    return LastEvaluatedKey
      ? { items, position: { pk: String(LastEvaluatedKey.pk), sk: String(LastEvaluatedKey.sk) } }
      : { items };
  }
}
