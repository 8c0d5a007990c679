import { callAws, dynamoDbService } from '../aws-json.ts';
import { type AttributeValue, type Item, type KeyCondition, type Part, toValueText } from './request.ts';

/** Names of the key attributes of a table or an index, the partition key first. */
type KeyNames = readonly string[];

/** The keys of an index, and the attributes that it stores besides them. */
export interface IndexKeys {
  readonly names: KeyNames;
  readonly projection: string;
  readonly included: readonly string[];
  readonly tableKey: KeyNames;
}

interface TableKeys {
  readonly own: KeyNames;
  readonly indexes: Readonly<Record<string, IndexKeys>>;
}

interface KeySchema {
  readonly AttributeName: string;
  readonly KeyType: string;
}

interface IndexDescription {
  readonly IndexName: string;
  readonly KeySchema: KeySchema[];
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: string[] };
}

interface Description {
  readonly Table: {
    readonly KeySchema: KeySchema[];
    readonly GlobalSecondaryIndexes?: IndexDescription[];
    readonly LocalSecondaryIndexes?: IndexDescription[];
  };
}

function toKeyNames(schema: readonly KeySchema[]): KeyNames {
  return schema.map(({ AttributeName }) => AttributeName);
}

function toIndexKeys({ KeySchema, Projection }: IndexDescription, tableKey: KeyNames): IndexKeys {
  const { ProjectionType, NonKeyAttributes = [] } = Projection;
  return { names: toKeyNames(KeySchema), projection: ProjectionType, included: NonKeyAttributes, tableKey };
}

/** Returns the value that a key condition requires for an attribute: `#pk = :pk`. */
function findRequired({ expression, names, values }: KeyCondition, attribute: string): AttributeValue | undefined {
  for (const [, name = '', placeholder = ''] of expression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) === attribute) return values[placeholder];
  }
  return undefined;
}

/** A part of a request with its key. */
export interface KeyedPart extends Part {
  /** The partition key's value. Absent when the request names none, for example a scan. */
  readonly partition?: string;
  /** `partition` or `partition / sort`, for display. */
  readonly key?: string;
  /** The key of the item that the part names. */
  readonly keyAttributes?: Item;
}

/** Reads the keys of requests. Asks DynamoDB once for the key schema of each table. */
export class KeyReader {
  readonly endpoint: string;
  readonly #tables = new Map<string, Promise<TableKeys>>();

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  async #describe(table: string): Promise<TableKeys> {
    const { Table } = await callAws<Description>(dynamoDbService(this.endpoint), 'DescribeTable', {
      TableName: table,
    });
    const own = toKeyNames(Table.KeySchema);
    const indexes = [...(Table.GlobalSecondaryIndexes ?? []), ...(Table.LocalSecondaryIndexes ?? [])];
    return { own, indexes: Object.fromEntries(indexes.map((index) => [index.IndexName, toIndexKeys(index, own)])) };
  }

  #readKeys(table: string): Promise<TableKeys> {
    const known = this.#tables.get(table) ?? this.#describe(table);
    this.#tables.set(table, known);
    // A failure is not kept, because a missing table may exist at the next call.
    known.catch(() => this.#tables.delete(table));
    return known;
  }

  /** Returns the key attributes of each index of a table, by the name of the index. */
  async indexesOf(table: string): Promise<Readonly<Record<string, IndexKeys>>> {
    return (await this.#readKeys(table)).indexes;
  }

  async addKey(part: Part): Promise<KeyedPart> {
    const { item, condition, table, index } = part;
    if (!item && !condition) return part;
    const keys = await this.#readKeys(table).catch(() => undefined);
    const names = (index ? keys?.indexes[index]?.names : keys?.own) ?? [];
    const values = names.map((name) => item?.[name] ?? (condition && findRequired(condition, name)));
    const texts = values.filter((value) => value !== undefined).map(toValueText);
    const [partition] = texts;
    if (partition === undefined) return part;
    const keyAttributes = item && Object.fromEntries(names.map((name, at) => [name, values[at] ?? {}]));
    return { ...part, partition, key: texts.join(' / '), ...(keyAttributes && { keyAttributes }) };
  }
}
