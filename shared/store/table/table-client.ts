import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { maximumAttempts, timingMs } from '../../contracts/limits.ts';
import { ContentionError } from './contention.ts';
import { type QueryOptions, queryInput } from './query-input.ts';
import { type Check, type Item, type Key, transactItem, type Write, writeParameters } from './writes.ts';

/** A condition of a write did not hold. Nothing was written. */
export class ConditionFailedError extends Error {
  override readonly name = 'ConditionFailedError';
  /** By the position of the write: the item that it met, `null` where there was none; absent where the write was fine. */
  readonly met: ReadonlyMap<number, Item | null>;

  constructor(met: ReadonlyMap<number, Item | null>) {
    super(`the condition of write ${[...met.keys()].join(', ')} did not hold`);
    this.met = met;
  }
}

/** The table, with the few operations that the repositories are written in. */
export class TableClient {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #random: () => number;

  constructor(client: DynamoDBDocumentClient, tableName: string, random: () => number = Math.random) {
    this.#client = client;
    this.#tableName = tableName;
    this.#random = random;
  }

  /** Strongly consistent. */
  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: key, ConsistentRead: true }),
    );
    return Item as Item | undefined;
  }

  /** Strongly consistent; at most 100 keys, in no order, without those that do not exist. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let pending: readonly Key[] = keys;
    for (let attempt = 0; pending.length > 0; attempt += 1) {
      if (attempt === maximumAttempts.write) throw new ContentionError('the table throttles');
      if (attempt > 0) await this.pause(attempt);
      const reply = await this.#client.send(
        new BatchGetCommand({ RequestItems: { [this.#tableName]: { Keys: [...pending], ConsistentRead: true } } }),
      );
      found.push(...((reply.Responses?.[this.#tableName] ?? []) as Item[]));
      pending = (reply.UnprocessedKeys?.[this.#tableName]?.Keys ?? []) as Key[];
    }
    return found;
  }

  /** Every item that matches, or the first `limit`; strongly consistent on the table, eventually on an index. */
  async query(options: QueryOptions): Promise<Item[]> {
    const items: Item[] = [];
    let from: Record<string, unknown> | undefined = options.after && { ...options.after };
    do {
      const page = await this.#client.send(new QueryCommand(queryInput(this.#tableName, options, from)));
      items.push(...((page.Items ?? []) as Item[]));
      from = page.LastEvaluatedKey;
    } while (from !== undefined && (options.limit === undefined || items.length < options.limit));
    return options.limit === undefined ? items : items.slice(0, options.limit);
  }

  /**
   * One write.
   *
   * @returns the item after an update, otherwise nothing
   * @throws ConditionFailedError with the item that the write met, at position 0
   * @throws ContentionError when transactions got in the way `maximumAttempts.write` times
   */
  async write(write: Write): Promise<Item | undefined> {
    try {
      return await this.#untilItPasses(() => this.#writeOnce(write));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      throw new ConditionFailedError(new Map([[0, plain(error.Item)]]));
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
   * All of the writes or none, each on a different item.
   *
   * @param attempts after which whoever would decide otherwise by now is told
   * @throws ConditionFailedError when a condition does not hold
   * @throws ContentionError when other transactions got in the way in every attempt
   */
  async transact(writes: readonly (Write | Check)[], attempts = maximumAttempts.write): Promise<void> {
    const items = writes.map((write) => transactItem(write, this.#tableName));
    // Made once and sent with every try: a write whose answer was lost is not done again, and the same write
    // that is meant a second time (paused, active, paused) is.
    const command = new TransactWriteCommand({ TransactItems: items, ClientRequestToken: randomUUID() });
    try {
      await this.#untilItPasses(() => this.#client.send(command), attempts);
    } catch (error) {
      throw error instanceof TransactionCanceledException ? conditionFailed(error) : error;
    }
  }

  /** Tries again what failed only because of others; nothing was written then. */
  async #untilItPasses<Result>(send: () => Promise<Result>, attempts = maximumAttempts.write): Promise<Result> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await this.pause(attempt);
      try {
        return await send();
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
    }
    throw new ContentionError('other transactions kept getting in the way');
  }

  /**
   * Waits before a repetition, the first of which is 1: with full jitter, so that whoever collided does not
   * meet again at the same moment.
   */
  pause(attempt: number): Promise<void> {
    const ceiling = Math.min(timingMs.longestWritePause, timingMs.firstWritePause * 2 ** attempt);
    return new Promise((resolve) => setTimeout(resolve, this.#random() * ceiling));
  }
}

/** The document client leaves the items inside errors as they came. */
function plain(item: Record<string, AttributeValue> | undefined): Item | null {
  return item === undefined ? null : (unmarshall(item) as Item);
}

const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether a write may go through the next time: nothing but others was in its way. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransactionInProgressException || error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
  return codes.some((code) => passing.has(code)) && !codes.includes('ConditionalCheckFailed');
}

/** The same error in the store's words, when conditions failed; otherwise the error itself. */
function conditionFailed(error: TransactionCanceledException): Error {
  const met = new Map<number, Item | null>();
  for (const [position, reason] of (error.CancellationReasons ?? []).entries()) {
    if (reason.Code === 'ConditionalCheckFailed') met.set(position, plain(reason.Item));
  }
  return met.size > 0 ? new ConditionFailedError(met) : error;
}
