import { isDeepStrictEqual } from 'node:util';
import {
  ConditionalCheckFailedException,
  DeleteTableCommand,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type TableIndex, tableIndexes, tableKey } from '../../shared/contracts/table.ts';
import { callAws, dynamoDbService, dynamoDbStreamsService } from '../../tools/local/aws-json.ts';
import { listShards, ShardReader, type StreamRecord } from '../../tools/local/lambda/shard-reader.ts';
import { createPlatformTable } from '../support/create-table.ts';

/** The two tables of the soak test: DynamoDB Local, and one in memory that plays the same histories much faster. */

/** A table with its stream. */
export interface SoakTable {
  readonly name: string;
  readonly endpoint: string;
  /** Carries out a command in place of DynamoDB; undefined for a real DynamoDB. */
  readonly carryOut?: (command: string, input: unknown) => unknown;
  /** Empties the table and begins a new stream. */
  reset(): Promise<void>;
  /** Returns the changes since the last call, in their order. */
  readChanges(): Promise<readonly StreamRecord[]>;
  stop(): void;
}

/** A table in DynamoDB Local. */
export class LocalTable implements SoakTable {
  readonly name = `soak-${process.pid}-${performance.now().toFixed()}`;
  readonly endpoint: string;
  readonly #client: DynamoDBClient;
  #reader: ShardReader | undefined;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    this.#client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  }

  async reset(): Promise<void> {
    const { name } = this;
    if (this.#reader) await this.#client.send(new DeleteTableCommand({ TableName: name }));
    await createPlatformTable(this.#client, name, { isStreamed: true });
    const { Table } = await callAws<{ readonly Table: { readonly LatestStreamArn: string } }>(
      dynamoDbService(this.endpoint),
      'DescribeTable',
      { TableName: name },
    );
    const streams = dynamoDbStreamsService(this.endpoint);
    const [shard] = await listShards(streams, Table.LatestStreamArn);
    if (!shard) throw new Error(`the stream of ${name} has no shard`);
    const position = { StreamArn: Table.LatestStreamArn, ShardId: shard.ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    this.#reader = new ShardReader(streams, position);
  }

  async readChanges(): Promise<readonly StreamRecord[]> {
    const all: StreamRecord[] = [];
    for (;;) {
      const { records } = (await this.#reader?.readNext(1_000)) ?? { records: [] };
      all.push(...records);
      if (records.length < 1_000) return all;
    }
  }

  stop(): void {
    this.#client.destroy();
  }
}

type Item = Readonly<Record<string, unknown>>;

/** The fields that the inputs of all commands share. */
interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

interface QueryInput extends Expressions {
  readonly IndexName?: TableIndex;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly ExclusiveStartKey?: Item;
}

/** A write, alone or in a transaction. */
interface WriteInput extends Expressions {
  readonly Item?: Item;
  readonly Key?: Item;
}

type WriteName = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
type TransactInput = {
  readonly ClientRequestToken?: string;
  readonly TransactItems: readonly Readonly<Partial<Record<WriteName, WriteInput>>>[];
};

/**
 * A table in memory. It understands only the requests that shared/store/table makes, and refuses all others. A test
 * shows that histories are the same as with DynamoDB Local.
 */
export class MemoryTable implements SoakTable {
  readonly name = 'memory';
  readonly endpoint = 'http://127.0.0.1:9';
  #items = new Map<string, Item>();
  /** The items of each partition of the table and of its indexes, by the items' names. */
  #partitions = new Map<string, Map<string, Item>>();
  #changes: StreamRecord[] = [];
  #sequence = 0;
  readonly #tokens = new Set<string>();

  async reset(): Promise<void> {
    this.#items = new Map();
    this.#partitions = new Map();
    this.#changes = [];
    this.#tokens.clear();
  }

  async readChanges(): Promise<readonly StreamRecord[]> {
    return this.#changes.splice(0);
  }

  stop(): void {}

  readonly carryOut = (command: string, input: unknown): unknown => {
    switch (command) {
      case 'Get':
        return { Item: this.#find((input as WriteInput).Key) };
      case 'BatchGet':
        return this.#batchGet(input as { readonly RequestItems: Readonly<Record<string, { readonly Keys: Item[] }>> });
      case 'Query':
        return this.#query(input as QueryInput);
      case 'Scan':
        return { Items: [...this.#items.values()].filter((item) => matches(item, input as Expressions)) };
      case 'BatchWrite':
        return this.#batchWrite(input as { readonly RequestItems: Readonly<Record<string, readonly PutRequest[]>> });
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

  #batchGet({ RequestItems }: { readonly RequestItems: Readonly<Record<string, { readonly Keys: Item[] }>> }) {
    const found = Object.entries(RequestItems).map(([table, { Keys }]) => [
      table,
      Keys.flatMap((key) => this.#find(key) ?? []),
    ]);
    return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
  }

  #batchWrite({ RequestItems }: { readonly RequestItems: Readonly<Record<string, readonly PutRequest[]>> }) {
    for (const { PutRequest } of Object.values(RequestItems).flat()) this.#store('Put', PutRequest);
    return { UnprocessedItems: {} };
  }

  #query(input: QueryInput) {
    const { IndexName, ScanIndexForward = true, Limit, ExclusiveStartKey } = input;
    const keys = IndexName ? tableIndexes[IndexName] : tableKey;
    const placeOf = (item: Item) => [item[keys.sort], item.pk, item.sk].map(String);
    const [partition = '', range] = splitKeyCondition(input);
    const sorted = [...(this.#partitions.get(partitionName(IndexName, partition))?.values() ?? [])]
      .filter((item) => range === undefined || conditionHolds(range, item, input))
      .sort((one, other) => compareTexts(placeOf(one), placeOf(other)) * (ScanIndexForward ? 1 : -1));
    const start = ExclusiveStartKey && placeOf(ExclusiveStartKey);
    const after = start
      ? sorted.filter((item) => compareTexts(placeOf(item), start) * (ScanIndexForward ? 1 : -1) > 0)
      : sorted;
    const page = after.slice(0, Limit);
    const last = Limit !== undefined && page.length === Limit ? page.at(-1) : undefined;
    const isKeysOnly = IndexName !== undefined && tableIndexes[IndexName].projection === 'KEYS_ONLY';
    const names = ['pk', 'sk', keys.partition, keys.sort];
    return {
      Items: isKeysOnly ? page.map((item) => only(item, names)) : page,
      ...(last && { LastEvaluatedKey: only(last, names) }),
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
      command === 'Delete' ? undefined : command === 'Put' ? input.Item : changed({ ...key, ...before }, input);
    const stored = after && withoutUndefined(after);
    const name = nameOf(key);
    for (const partition of before ? partitionsOf(before) : []) this.#partitions.get(partition)?.delete(name);
    if (stored) this.#items.set(name, stored);
    else this.#items.delete(name);
    for (const partition of stored ? partitionsOf(stored) : []) {
      const items = this.#partitions.get(partition) ?? new Map<string, Item>();
      this.#partitions.set(partition, items.set(name, stored as Item));
    }
    if (!isDeepStrictEqual(before, stored)) this.#record(before, stored);
    return stored;
  }

  #record(before: Item | undefined, after: Item | undefined): void {
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
    this.#changes.push({
      eventID: String(this.#sequence),
      eventName,
      eventVersion: '1.1',
      awsRegion: 'local',
      dynamodb,
    });
  }
}

interface PutRequest {
  readonly PutRequest: { readonly Item: Item };
}

const partitionName = (index: string | undefined, partition: unknown) => `${index ?? ''}/${partition}`;

/** The partitions that contain an item: one of the table, and one of each index that has the item. */
function partitionsOf(item: Item): string[] {
  const indexes = Object.entries(tableIndexes).filter(
    ([, { partition, sort }]) => item[partition] !== undefined && item[sort] !== undefined,
  );
  return [
    partitionName(undefined, item[tableKey.partition]),
    ...indexes.map(([name, { partition }]) => partitionName(name, item[partition])),
  ];
}

const nameOf = ({ pk, sk }: Item) => `${pk}\n${sk}`;

const withoutUndefined = (item: Item): Item => {
  const kept = Object.entries(item).filter(([, value]) => value instanceof Set || value instanceof Uint8Array);
  return { ...JSON.parse(JSON.stringify(item)), ...Object.fromEntries(kept) };
};

const marshalled = (item: Item) => marshall(item, { removeUndefinedValues: true });

const only = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.map((name) => [name, item[name]]));

function compareTexts(one: readonly string[], other: readonly string[]): number {
  const position = one.findIndex((text, index) => text !== other[index]);
  if (position < 0) return 0;
  return (one[position] ?? '') < (other[position] ?? '') ? -1 : 1;
}

/** Returns the value that a placeholder such as `:v0` stands for. For the placeholder of a name, see `attributeIn`. */
const valueIn = ({ ExpressionAttributeValues = {} }: Expressions, name: string) => ExpressionAttributeValues[name];
const attributeIn = (item: Item, { ExpressionAttributeNames = {} }: Expressions, name: string) =>
  item[ExpressionAttributeNames[name] ?? name];

/** The forms of conditions that shared/store/table/expressions.ts writes. */
const conditionForms: readonly (readonly [RegExp, (item: Item, input: Expressions, parts: string[]) => boolean])[] = [
  [/^attribute_not_exists\((\S+)\)$/, (item, input, [name = '']) => attributeIn(item, input, name) === undefined],
  [/^attribute_exists\((\S+)\)$/, (item, input, [name = '']) => attributeIn(item, input, name) !== undefined],
  [
    /^\(attribute_not_exists\((\S+)\) OR \S+ <= (\S+)\)$/,
    (item, input, [name = '', value = '']) => {
      const found = attributeIn(item, input, name);
      return found === undefined || compare(found, '<=', valueIn(input, value));
    },
  ],
  [
    /^\(attribute_not_exists\((\S+)\) OR (\S+) = (\S+)\)$/,
    (item, input, [present = '', name = '', value = '']) =>
      attributeIn(item, input, present) === undefined ||
      compare(attributeIn(item, input, name), '=', valueIn(input, value)),
  ],
  [
    /^(\S+) IN \((.+)\)$/,
    (item, input, [name = '', values = '']) =>
      values.split(', ').some((value) => isDeepStrictEqual(attributeIn(item, input, name), valueIn(input, value))),
  ],
  [
    /^(\S+) (=|<>|<|<=|>|>=) (\S+)$/,
    (item, input, [name = '', operator = '', value = '']) =>
      compare(attributeIn(item, input, name), operator, valueIn(input, value)),
  ],
  [
    /^begins_with\((\S+), (\S+)\)$/,
    (item, input, [name = '', value = '']) =>
      String(attributeIn(item, input, name)).startsWith(String(valueIn(input, value))),
  ],
  [
    /^(\S+) BETWEEN (\S+) AND (\S+)$/,
    (item, input, [name = '', first = '', last = '']) => {
      const found = attributeIn(item, input, name);
      return compare(found, '>=', valueIn(input, first)) && compare(found, '<=', valueIn(input, last));
    },
  ],
];

function compare(found: unknown, operator: string, value: unknown): boolean {
  if (operator === '=') return isDeepStrictEqual(found, value);
  if (operator === '<>') return !isDeepStrictEqual(found, value);
  if (typeof found !== typeof value || found === undefined) return false;
  const [one, other] = [found as string | number, value as string | number];
  const order = one < other ? -1 : one > other ? 1 : 0;
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator] ?? false;
}

function conditionHolds(text: string, item: Item, input: Expressions): boolean {
  for (const [form, test] of conditionForms) {
    const found = form.exec(text);
    if (found) return test(item, input, found.slice(1));
  }
  throw new Error(`the memory table does not know the condition ${text}`);
}

function holds(item: Item | undefined, input: Expressions): boolean {
  const { ConditionExpression: text } = input;
  return text === undefined || text.split(' AND ').every((part) => conditionHolds(part, item ?? {}, input));
}

/** The partition that a query reads, and the condition on the sort key, if there is one. */
function splitKeyCondition(input: Expressions): readonly [partition: string, range: string | undefined] {
  const [first = '', ...range] = (input.KeyConditionExpression ?? '').split(' AND ');
  const [, value = ''] = first.split(' = ');
  return [String(valueIn(input, value)), range.length > 0 ? range.join(' AND ') : undefined];
}

function matches(item: Item, input: Expressions): boolean {
  const { FilterExpression: text } = input;
  return text === undefined || text.split(' OR ').some((part) => conditionHolds(part, item, input));
}

const membersOf = (value: unknown): unknown[] => (value instanceof Set ? [...value] : []);

/** The effect of each clause of an update (`SET`, `ADD`, …) on an attribute. */
const changes: Readonly<Record<string, (before: unknown, given: unknown) => unknown>> = {
  SET: (_, given) => given,
  ADD: (before, given) =>
    given instanceof Set ? new Set([...membersOf(before), ...given]) : Number(before ?? 0) + Number(given),
  // DynamoDB stores no empty set: the attribute is removed.
  DELETE: (before, given) => {
    const taken = membersOf(given);
    const left = membersOf(before).filter((member) => !taken.includes(member));
    return left.length > 0 ? new Set(left) : undefined;
  },
  REMOVE: () => undefined,
};

/** Returns the item after an update. */
function changed(before: Item, input: WriteInput): Item {
  const after: Record<string, unknown> = { ...before };
  for (const clause of (input.UpdateExpression ?? '').split(/ (?=(?:ADD|DELETE|REMOVE) #)/)) {
    const [keyword = '', ...rest] = clause.split(' ');
    const change = changes[keyword];
    if (!change) throw new Error(`the memory table does not know the update ${clause}`);
    for (const part of rest.join(' ').split(', ')) {
      const [placeholder = '', value = ''] = part.split(keyword === 'SET' ? ' = ' : ' ');
      const name = input.ExpressionAttributeNames?.[placeholder] ?? placeholder;
      after[name] = change(after[name], valueIn(input, value));
    }
  }
  return after;
}
