import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { awsMaximumItems } from '../../shared/contracts/limits.ts';
import { type TableIndex, tableIndexes, tableKey } from '../../shared/contracts/table.ts';
import type { StreamRecord } from '../../tools/local/lambda/shard-reader.ts';
import { copyOf } from './copy-of.ts';
import { conditionHolds, type Expressions, holds, type Item, matches, updated, valueIn } from './expressions.ts';

/** The inputs of the commands of the document client. */
interface QueryInput extends Expressions {
  readonly IndexName?: TableIndex;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number | undefined;
  readonly ExclusiveStartKey?: Item | undefined;
  readonly ProjectionExpression?: string;
}
interface WriteInput extends Expressions {
  readonly Item?: Item;
  readonly Key?: Item;
}
type ByTable<Requests> = Readonly<Record<string, Requests>>;
interface BatchGetInput {
  readonly RequestItems: ByTable<{ readonly Keys: readonly Item[] }>;
}
interface BatchRequest {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}
type WriteName = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
interface TransactInput {
  readonly ClientRequestToken?: string;
  readonly TransactItems: readonly Readonly<Partial<Record<WriteName, WriteInput>>>[];
}

/**
 * A table in memory, which carries out the commands of the document client. It understands only the requests that the
 * platform makes, and refuses all others. Tests compare it with DynamoDB Local. It knows no conflicts between DynamoDB
 * transactions, no throttling and no limits of size: tests of these put a proxy before it, or use DynamoDB Local.
 */
export class MemoryTable {
  readonly name: string;
  #items = new Map<string, Item>();
  /** The items of each partition of the table and of its indexes, by the items' names. */
  #partitions = new Map<string, Map<string, Item>>();
  #changes: StreamRecord[] | undefined;
  #sequence = 0;
  readonly #tokens = new Set<string>();

  /** @param isStreamed whether the table keeps its changes until {@link readChanges} */
  constructor(name: string, { isStreamed = false } = {}) {
    this.name = name;
    if (isStreamed) this.#changes = [];
  }

  /** Empties the table, and begins a new stream. */
  async reset(): Promise<void> {
    this.#items = new Map();
    this.#partitions = new Map();
    if (this.#changes) this.#changes = [];
    this.#tokens.clear();
  }

  /** Returns the changes since the last call, in their order. */
  async readChanges(): Promise<readonly StreamRecord[]> {
    return this.#changes?.splice(0) ?? [];
  }

  /** Every item. */
  items(): Item[] {
    return [...this.#items.values()];
  }

  /** Carries out a command: `TransactWrite` with the input of a `TransactWriteCommand`, for example. */
  readonly carryOut = (command: string, input: unknown): unknown => {
    switch (command) {
      case 'Get':
        return { Item: this.#find((input as WriteInput).Key) };
      case 'BatchGet':
        return this.#batchGet(input as BatchGetInput);
      case 'Query':
        return this.#query(input as QueryInput);
      case 'Scan':
        return this.#scan(input as QueryInput);
      case 'BatchWrite':
        return this.#batchWrite(input as { readonly RequestItems: ByTable<readonly BatchRequest[]> });
      case 'TransactWrite':
        return this.#transact(input as TransactInput);
      case 'Put':
      case 'Update':
      case 'Delete':
        return this.#write(command, input as WriteInput);
      default:
        throw new Error(`the memory table does not know ${command}`);
    }
  };

  #find(key: Item | undefined): Item | undefined {
    return this.#items.get(nameOf(key ?? {}));
  }

  #batchGet({ RequestItems }: BatchGetInput) {
    const found = Object.entries(RequestItems).map(([table, { Keys }]) => {
      refuseTwins(Keys, awsMaximumItems.keysPerRead);
      return [table, Keys.flatMap((key) => this.#find(key) ?? [])] as const;
    });
    return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
  }

  #batchWrite({ RequestItems }: { readonly RequestItems: ByTable<readonly BatchRequest[]> }) {
    const requests = Object.values(RequestItems).flat();
    refuseTwins(
      requests.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {}),
      awsMaximumItems.itemsPerBatch,
    );
    for (const { PutRequest, DeleteRequest = { Key: {} } } of requests) {
      if (PutRequest) this.#store('Put', PutRequest);
      else this.#store('Delete', DeleteRequest);
    }
    return { UnprocessedItems: {} };
  }

  #query(input: QueryInput) {
    const { IndexName, ScanIndexForward = true } = input;
    const keys = IndexName ? tableIndexes[IndexName] : tableKey;
    const [partition, range] = splitKeyCondition(input);
    const found = [...(this.#partitions.get(partitionName(IndexName, partition))?.values() ?? [])].filter(
      (item) => range === undefined || conditionHolds(range, item, input),
    );
    const placeOf = (item: Item) => [item[keys.sort], item.pk, item.sk].map(String);
    const names = ['pk', 'sk', keys.partition, keys.sort];
    const { page, last } = pageOf(found, { placeOf, isDescending: !ScanIndexForward }, input);
    const isKeysOnly = IndexName !== undefined && tableIndexes[IndexName].projection === 'KEYS_ONLY';
    return {
      Items: isKeysOnly ? page.map((item) => only(item, names)) : page,
      ...(last && { LastEvaluatedKey: only(last, names) }),
    };
  }

  #scan(input: QueryInput) {
    const { ProjectionExpression, ExpressionAttributeNames = {} } = input;
    const names = ProjectionExpression?.split(', ').map((name) => ExpressionAttributeNames[name] ?? name);
    const placeOf = ({ pk, sk }: Item) => [String(pk), String(sk)];
    const { page, last } = pageOf(this.items(), { placeOf, isDescending: false }, input);
    const found = page.filter((item) => matches(item, input));
    return {
      Items: names ? found.map((item) => only(item, names)) : found,
      ...(last && { LastEvaluatedKey: only(last, ['pk', 'sk']) }),
    };
  }

  #write(command: 'Put' | 'Update' | 'Delete', input: WriteInput) {
    const before = this.#find(input.Key ?? input.Item);
    if (!holds(before, input)) {
      const found = before && { Item: marshalled(before) };
      throw new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {}, ...found });
    }
    return { Attributes: this.#store(command, input) };
  }

  #transact({ ClientRequestToken, TransactItems }: TransactInput) {
    if (ClientRequestToken !== undefined && this.#tokens.has(ClientRequestToken)) return {};
    const parts = TransactItems.flatMap((part) => Object.entries(part) as [WriteName, WriteInput][]);
    refuseTwins(
      parts.map(([, input]) => input.Key ?? input.Item ?? {}),
      awsMaximumItems.itemsPerTransaction,
    );
    const reasons = parts.map(([, input]) => {
      const before = this.#find(input.Key ?? input.Item);
      if (holds(before, input)) return { Code: 'None' };
      return { Code: 'ConditionalCheckFailed', ...(before && { Item: marshalled(before) }) };
    });
    if (reasons.some(({ Code }) => Code !== 'None')) {
      const message = 'Transaction cancelled';
      throw new TransactionCanceledException({ message, $metadata: {}, CancellationReasons: reasons });
    }
    for (const [name, input] of parts) if (name !== 'ConditionCheck') this.#store(name, input);
    if (ClientRequestToken !== undefined) this.#tokens.add(ClientRequestToken);
    return {};
  }

  #store(command: 'Put' | 'Update' | 'Delete', input: WriteInput): Item | undefined {
    const key = input.Key ?? input.Item ?? {};
    const before = this.#find(key);
    const after =
      command === 'Delete' ? undefined : command === 'Put' ? input.Item : updated({ ...key, ...before }, input);
    const stored = after && (copyOf(after) as Item);
    this.#replace(nameOf(key), before, stored);
    if (this.#changes && !isDeepStrictEqual(before, stored)) this.#record(this.#changes, before, stored);
    return stored;
  }

  #replace(name: string, before: Item | undefined, after: Item | undefined): void {
    for (const partition of before ? partitionsOf(before) : []) this.#partitions.get(partition)?.delete(name);
    this.#items.delete(name);
    if (!after) return;
    this.#items.set(name, after);
    for (const partition of partitionsOf(after)) {
      const items = this.#partitions.get(partition) ?? new Map<string, Item>();
      this.#partitions.set(partition, items.set(name, after));
    }
  }

  #record(changes: StreamRecord[], before: Item | undefined, after: Item | undefined): void {
    this.#sequence += 1;
    const { pk, sk } = after ?? before ?? {};
    const dynamodb = {
      SequenceNumber: String(this.#sequence).padStart(12, '0'),
      ApproximateCreationDateTime: 0,
      Keys: marshalled({ pk, sk }),
      ...(before && { OldImage: marshalled(before) }),
      ...(after && { NewImage: marshalled(after) }),
    };
    const eventName = !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE';
    changes.push({ eventID: String(this.#sequence), eventName, eventVersion: '1.1', awsRegion: 'local', dynamodb });
  }
}

interface Order {
  readonly placeOf: (item: Item) => string[];
  readonly isDescending: boolean;
}

/** The items of one page, in order, and the last of them if more may follow. */
function pageOf(items: readonly Item[], { placeOf, isDescending }: Order, { Limit, ExclusiveStartKey }: QueryInput) {
  const direction = isDescending ? -1 : 1;
  const start = ExclusiveStartKey && placeOf(ExclusiveStartKey);
  const after = items
    .map((item) => ({ item, place: placeOf(item) }))
    .filter(({ place }) => start === undefined || compareTexts(place, start) * direction > 0)
    .sort((one, other) => compareTexts(one.place, other.place) * direction);
  const page = after.slice(0, Limit).map(({ item }) => item);
  return { page, last: Limit !== undefined && page.length === Limit ? page.at(-1) : undefined };
}

const partitionName = (index: string | undefined, partition: unknown) => `${index ?? ''}/${partition}`;
const indexEntries = Object.entries(tableIndexes);

/** The partitions that contain an item: one of the table, and one of each index that has the item. */
function partitionsOf(item: Item): string[] {
  const names = [partitionName(undefined, item[tableKey.partition])];
  for (const [name, { partition, sort }] of indexEntries) {
    if (item[partition] !== undefined && item[sort] !== undefined) names.push(partitionName(name, item[partition]));
  }
  return names;
}

/** The partition that a query reads, and the condition on the sort key, if there is one. */
function splitKeyCondition(input: Expressions): readonly [partition: string, range: string | undefined] {
  const [first = '', ...range] = (input.KeyConditionExpression ?? '').split(' AND ');
  const [, value = ''] = first.split(' = ');
  return [String(valueIn(input, value)), range.length > 0 ? range.join(' AND ') : undefined];
}

const nameOf = ({ pk, sk }: Item) => `${pk}\n${sk}`;
const marshalled = (item: Item) => marshall(item, { removeUndefinedValues: true });

const only = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));

function compareTexts(one: readonly string[], other: readonly string[]): number {
  const position = one.findIndex((text, index) => text !== other[index]);
  if (position < 0) return 0;
  return (one[position] ?? '') < (other[position] ?? '') ? -1 : 1;
}

/** DynamoDB refuses a request that names an item twice, or too many items. */
function refuseTwins(keys: readonly Item[], most: number): void {
  if (keys.length > most) throw new Error(`a request names ${keys.length} items, and not at most ${most}`);
  if (keys.length === new Set(keys.map(nameOf)).size) return;
  throw new Error(`a request names an item twice: ${JSON.stringify(keys)}`);
}
