import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Partition, partitions } from '../../shared/contracts/table.ts';
import type { Item, Key, TableClient } from '../../shared/store/table/table-client.ts';

/**
 * A copy of a table in memory. It scans the table once, and then reads again only the items that this process has
 * written: a scan of DynamoDB Local takes many times as long. A table that other processes write to needs a scan.
 */
export class TableMirror {
  readonly #client: TableClient;
  readonly #scan: () => AsyncIterable<Item>;
  readonly #items = new Map<string, Item>();
  readonly #written: Map<string, Key>;
  #reading: Promise<void> | undefined;

  constructor(name: string, client: TableClient, scan: () => AsyncIterable<Item>) {
    this.#client = client;
    this.#scan = scan;
    this.#written = new Map();
    follow(name, this.#written);
  }

  /** Returns all items as they are now. */
  async items(): Promise<Item[]> {
    this.#reading = this.#reading === undefined ? this.#readAll() : this.#reading.then(() => this.#readWritten());
    await this.#reading;
    return [...this.#items.values()];
  }

  /** Yields the items of some kinds of partitions. */
  async *read(wanted: readonly Partition[]): AsyncGenerator<Item> {
    yield* itemsOf(await this.items(), wanted);
  }

  async #readAll(): Promise<void> {
    this.#written.clear();
    for await (const item of this.#scan()) this.#items.set(nameOf(item), item);
    await this.#readWritten();
  }

  async #readWritten(): Promise<void> {
    const keys = [...this.#written.values()];
    this.#written.clear();
    for (const key of keys) this.#items.delete(nameOf(key));
    for (const item of await this.#client.getAll(keys)) this.#items.set(nameOf(item), item);
  }
}

/** Yields the items of some kinds of partitions. */
export function* itemsOf(items: readonly Item[], wanted: readonly Partition[]): Generator<Item> {
  const prefixes = wanted.map((partition) => partitions[partition]);
  for (const item of items) if (prefixes.some((prefix) => item.pk.startsWith(prefix))) yield item;
}

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** The keys that were written, by table. */
const followed = new Map<string, Map<string, Key>>();

function follow(table: string, written: Map<string, Key>): void {
  if (followed.size === 0) watchWrites();
  followed.set(table, written);
}

/** Notes the keys of every write: when it begins, and when it ends, because it may be carried out at any time between. */
function watchWrites(): void {
  const { prototype } = DynamoDBDocumentClient;
  const { send } = prototype;
  const watched = async function (this: DynamoDBDocumentClient, ...all: Parameters<typeof send>) {
    const writes = all[0] instanceof GetCommand ? [] : writesIn(all[0].input);
    note(writes);
    try {
      return await Reflect.apply(send, this, all);
    } finally {
      note(writes);
    }
  };
  Object.assign(prototype, { send: watched });
}

interface TableWrite {
  readonly TableName?: string;
  readonly Item?: Item;
  readonly Key?: Key;
}

/** The writes in the input of a command. */
function writesIn(input: object): readonly TableWrite[] {
  const { TransactItems = [], RequestItems = {} } = input as {
    readonly TransactItems?: readonly Readonly<Record<string, TableWrite>>[];
    readonly RequestItems?: Readonly<Record<string, readonly Readonly<Record<string, TableWrite>>[]>>;
  };
  const batch = Object.entries(RequestItems).flatMap(([TableName, requests]) =>
    Array.isArray(requests)
      ? requests
          .flatMap((one: Readonly<Record<string, TableWrite>>) => Object.values(one))
          .map((one) => ({ TableName, ...one }))
      : [],
  );
  return [input, ...TransactItems.flatMap((one) => Object.values(one)), ...batch];
}

function note(writes: readonly TableWrite[]): void {
  for (const { TableName = '', Item, Key } of writes) {
    const { pk, sk } = Item ?? Key ?? {};
    if (typeof pk === 'string' && typeof sk === 'string') followed.get(TableName)?.set(nameOf({ pk, sk }), { pk, sk });
  }
}
