import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { awsMaximumItems, maximumAttempts, timingMs } from '../../contracts/limits.ts';
import { type QueryOptions, queryInput, transactItem, writeParameters } from './expressions.ts';
import {
  type BatchWrite,
  type Check,
  ConditionFailedError,
  ContentionError,
  type Item,
  type Key,
  reportWrite,
  TableUnavailableError,
  ThrottledError,
  type Write,
} from './items.ts';

/** Repositories import the types and helpers of the table from this file. */
export {
  type BatchWrite,
  type Changes,
  type Check,
  type Condition,
  ConditionFailedError,
  ContentionError,
  concerning,
  defineEntity,
  exists,
  followingFrom,
  type Item,
  isNew,
  isStill,
  type Key,
  type Origins,
  type RequestContext,
  requestIdOf,
  ThrottledError,
  UnknownVersionError,
  type Write,
  type WriteContext,
  watchingWrites,
} from './items.ts';

type BatchRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** The table. Repositories use DynamoDB only through these operations. */
export class TableClient {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #random: () => number;

  constructor(client: DynamoDBDocumentClient, tableName: string, random: () => number = Math.random) {
    this.#client = client;
    this.#tableName = tableName;
    this.#random = random;
  }

  /** Reads one item; strongly consistent. */
  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await withTableErrors(() =>
      this.#client.send(new GetCommand({ TableName: this.#tableName, Key: key, ConsistentRead: true })),
    );
    return Item as Item | undefined;
  }

  /**
   * Reads the items of any number of distinct keys, in one round of parallel batches; strongly consistent.
   *
   * @returns the items that exist, in no order
   * @throws ContentionError when the table throttles every attempt
   */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const batches = Array.from({ length: Math.ceil(keys.length / awsMaximumItems.keysPerRead) }, (_, batch) =>
      keys.slice(batch * awsMaximumItems.keysPerRead, (batch + 1) * awsMaximumItems.keysPerRead),
    );
    return (await Promise.all(batches.map((batch) => this.#getBatch(batch)))).flat();
  }

  async #getBatch(keys: readonly Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let pending: readonly Key[] = keys;
    for (let attempt = 0; pending.length > 0; attempt += 1) {
      if (attempt === maximumAttempts.write) throw new ThrottledError({});
      if (attempt > 0) await this.pause(attempt);
      const RequestItems = { [this.#tableName]: { Keys: [...pending], ConsistentRead: true } };
      const reply = await withTableErrors(() => this.#client.send(new BatchGetCommand({ RequestItems })));
      found.push(...((reply.Responses?.[this.#tableName] ?? []) as Item[]));
      pending = (reply.UnprocessedKeys?.[this.#tableName]?.Keys ?? []) as Key[];
    }
    return found;
  }

  /** Reads all items that match, or the first `limit`; strongly consistent on the table, eventually on an index. */
  async query(options: QueryOptions): Promise<Item[]> {
    const items: Item[] = [];
    let from: Record<string, unknown> | undefined = options.after && { ...options.after };
    do {
      const input = queryInput(this.#tableName, options, from);
      const page = await withTableErrors(() => this.#client.send(new QueryCommand(input)));
      items.push(...((page.Items ?? []) as Item[]));
      from = page.LastEvaluatedKey;
    } while (from !== undefined && (options.limit === undefined || items.length < options.limit));
    return options.limit === undefined ? items : items.slice(0, options.limit);
  }

  /**
   * Does one write. After a lost answer, the write is sent again, which changes nothing more (see `repetition` of
   * {@link Write}).
   *
   * @returns the item after an update outside of a transaction, otherwise nothing
   * @throws ConditionFailedError with the stored item at position 0
   * @throws ContentionError after `maximumAttempts.write` conflicts with DynamoDB transactions
   */
  async write(write: Write): Promise<Item | undefined> {
    if (needsToken(write)) {
      await this.transact([write]);
      return undefined;
    }
    try {
      return await this.#retry(() => this.#writeOnce(write), maximumAttempts.write);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const found = plainItem(error.Item);
      const isRepeated = (error.$metadata.attempts ?? 1) > 1;
      if (isRepeated && found && isWrittenBy(write, found)) return found;
      throw new ConditionFailedError(new Map([[0, found]]));
    }
  }

  async #writeOnce(write: Write): Promise<Item | undefined> {
    const common = writeParameters(write, this.#tableName);
    if (write.kind === 'put') {
      await this.#client.send(new PutCommand({ ...common, Item: write.item }));
      return undefined;
    }
    if (write.kind === 'delete') {
      await this.#client.send(new DeleteCommand({ ...common, Key: write.key }));
      return undefined;
    }
    const reply = await this.#client.send(new UpdateCommand({ ...common, Key: write.key, ReturnValues: 'ALL_NEW' }));
    return reply.Attributes as Item | undefined;
  }

  /**
   * Does all of the writes or none, in one DynamoDB transaction. No two writes may have the same item.
   *
   * @param attempts at most this many; few for a caller that decides again after a conflict
   * @throws ConditionFailedError when a condition does not hold
   * @throws the `refusal` of a write whose conditions do not hold
   * @throws ContentionError when every attempt conflicts with other DynamoDB transactions
   * @throws RangeError when there is no write
   */
  async transact(writes: readonly (Write | Check)[], attempts = maximumAttempts.write): Promise<void> {
    if (writes.length === 0) throw new RangeError('transact() got no write: a DynamoDB transaction needs at least one');
    const items = writes.map((write) => transactItem(write, this.#tableName));
    // One request token for all attempts. If an attempt succeeded and only its reply was lost, the next attempt writes
    // nothing. A new token for each call: a later call may repeat the same writes on purpose (paused, active, paused).
    const command = new TransactWriteCommand({ TransactItems: items, ClientRequestToken: randomUUID() });
    try {
      await this.#retry(() => this.#client.send(command), attempts);
    } catch (error) {
      throw error instanceof TransactionCanceledException ? toConditionFailed(error, writes) : error;
    }
  }

  /**
   * Does any number of unconditional writes to distinct items, in parallel batches. When it fails, some of them may be
   * done.
   *
   * @throws ThrottledError when the table throttles every attempt
   */
  async writeBatch(writes: readonly BatchWrite[]): Promise<void> {
    const requests = writes.map((write) =>
      write.kind === 'put' ? { PutRequest: { Item: write.item } } : { DeleteRequest: { Key: write.key } },
    );
    const size = awsMaximumItems.itemsPerBatch;
    const batches = Array.from({ length: Math.ceil(requests.length / size) }, (_, batch) =>
      requests.slice(batch * size, (batch + 1) * size),
    );
    await Promise.all(batches.map((batch) => this.#writeBatch(batch)));
  }

  async #writeBatch(requests: BatchRequests): Promise<void> {
    let pending = requests;
    reportWrite();
    for (let attempt = 0; pending.length > 0; attempt += 1) {
      if (attempt === maximumAttempts.write) throw new ThrottledError({});
      if (attempt > 0) await this.pause(attempt);
      const RequestItems = { [this.#tableName]: [...pending] };
      const reply = await withTableErrors(() => this.#client.send(new BatchWriteCommand({ RequestItems })));
      pending = reply.UnprocessedItems?.[this.#tableName] ?? [];
    }
  }

  /**
   * Does all of the writes or none. Several writes are one DynamoDB transaction; a single one is done by {@link write},
   * which usually costs half as much.
   */
  async writeAll(writes: readonly Write[]): Promise<void> {
    const [first, ...others] = writes;
    if (first) await (others.length === 0 ? this.write(first) : this.transact(writes));
  }

  /** Repeats a write after conflicts. Repeats a transaction also after throttling. */
  async #retry<Result>(send: () => Promise<Result>, attempts: number): Promise<Result> {
    let cause: unknown;
    reportWrite();
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await this.pause(attempt);
      try {
        return await withTableErrors(send);
      } catch (error) {
        if (!isTransient(error)) throw error;
        cause = error;
      }
    }
    throw isThrottled(cause)
      ? new ThrottledError({ cause })
      : new ContentionError('every attempt conflicted with other transactions', { cause });
  }

  /**
   * Waits before a repetition. The first repetition has the number 1. Full jitter separates writers that conflicted.
   */
  pause(attempt: number): Promise<void> {
    const ceiling = Math.min(timingMs.longestWritePause, timingMs.firstWritePause * 2 ** attempt);
    return new Promise((resolve) => setTimeout(resolve, this.#random() * ceiling));
  }
}

/** The document client leaves the items inside errors in DynamoDB's own format. */
function plainItem(item: Record<string, AttributeValue> | undefined): Item | null {
  return item === undefined ? null : (unmarshall(item) as Item);
}

/** Whether a write needs a transaction's token: its repetition is not harmless, and cannot be recognised. */
export function needsToken(write: Write): boolean {
  if (write.kind === 'put' || write.repetition !== undefined) return false;
  return (write.when ?? []).length > 0 || (write.kind === 'update' && write.changes.add !== undefined);
}

/** Whether an item has every value that a write sets. */
function isWrittenBy(write: Write, found: Item): boolean {
  if (write.kind === 'delete' || (write.kind === 'update' && write.repetition !== 'recognisable')) return false;
  const values: Record<string, unknown> = write.kind === 'put' ? write.item : (write.changes.set ?? {});
  // DynamoDB does not store undefined fields.
  const stored: Record<string, unknown> = JSON.parse(JSON.stringify(values));
  return Object.entries(stored).every(([attribute, value]) => isDeepStrictEqual(found[attribute], value));
}

const conflictCodes = new Set(['TransactionConflict']);
const throttlingCodes = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded']);
const throttlingErrors = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
]);

const connectionErrors = new Set([
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * Does a call.
 *
 * @throws ThrottledError when DynamoDB throttled every attempt of the client library
 * @throws TableUnavailableError when no attempt was answered
 */
async function withTableErrors<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (throttlingErrors.has(error.name)) throw new ThrottledError({ cause: error });
    throw isUnanswered(error) ? new TableUnavailableError({ cause: error }) : error;
  }
}

function isUnanswered(error: Error): boolean {
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  return (
    connectionErrors.has(error.name) || connectionErrors.has(code ?? '') || ($metadata?.httpStatusCode ?? 0) >= 500
  );
}

/** Whether the same write may succeed at the next attempt. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransactionInProgressException || error instanceof TransactionConflictException) return true;
  return isCancelledBy(error, conflictCodes) || isThrottled(error);
}

const isThrottled = (error: unknown) => isCancelledBy(error, throttlingCodes);

/** Whether a DynamoDB transaction was cancelled with one of the expected codes, and no condition failed. */
function isCancelledBy(error: unknown, expected: ReadonlySet<string>): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
  return codes.some((code) => expected.has(code)) && !codes.includes('ConditionalCheckFailed');
}

/** The failed conditions of a cancelled transaction; the error itself when no condition failed. */
function toConditionFailed(error: TransactionCanceledException, writes: readonly (Write | Check)[]): Error {
  const found = new Map<number, Item | null>();
  for (const [position, reason] of (error.CancellationReasons ?? []).entries()) {
    if (reason.Code !== 'ConditionalCheckFailed') continue;
    const write = writes[position];
    if (write && 'refusal' in write && write.refusal) return write.refusal;
    found.set(position, plainItem(reason.Item));
  }
  return found.size > 0 ? new ConditionFailedError(found) : error;
}

/** The base of every repository. A repository reads and writes some items of the table. */
export abstract class Repository {
  protected readonly table: TableClient;

  constructor(table: TableClient) {
    this.table = table;
  }
}
