import { callAws } from '../aws-json.ts';
import { type AttributeValue, type Condition, type Item, type Part, valueText } from './request.ts';
import { dynamoDbService } from './tables.ts';

/** Names of the key attributes of a table or an index, the partition key first. */
type KeyNames = readonly string[];

/** An index: its keys, and what it holds beside them. */
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

function keyNames(schema: readonly KeySchema[]): KeyNames {
  return schema.map(({ AttributeName }) => AttributeName);
}

function indexKeys({ KeySchema, Projection }: IndexDescription, tableKey: KeyNames): IndexKeys {
  const { ProjectionType, NonKeyAttributes = [] } = Projection;
  return { names: keyNames(KeySchema), projection: ProjectionType, included: NonKeyAttributes, tableKey };
}

/** The value that a key condition demands of an attribute: `#pk = :pk`. */
function demanded({ expression, names, values }: Condition, attribute: string): AttributeValue | undefined {
  for (const [, name = '', placeholder = ''] of expression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) === attribute) return values[placeholder];
  }
  return undefined;
}

/** A part of a call with what its key is. */
export interface KeyedPart extends Part {
  /** The partition key's value; absent when the call names none, as a scan. */
  readonly partition?: string;
  /** `partition` or `partition / sort`, for people. */
  readonly key?: string;
  /** The key of the item that it names. */
  readonly keyAttributes?: Item;
}

/** Reads keys out of calls; it asks DynamoDB once for the keys that each table has. */
export class KeyReader {
  readonly #endpoint: string;
  readonly #tables = new Map<string, Promise<TableKeys>>();

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  async #describe(table: string): Promise<TableKeys> {
    const { Table } = await callAws<Description>(dynamoDbService(this.#endpoint), 'DescribeTable', {
      TableName: table,
    });
    const own = keyNames(Table.KeySchema);
    const indexes = [...(Table.GlobalSecondaryIndexes ?? []), ...(Table.LocalSecondaryIndexes ?? [])];
    return { own, indexes: Object.fromEntries(indexes.map((index) => [index.IndexName, indexKeys(index, own)])) };
  }

  #keysOf(table: string): Promise<TableKeys> {
    const known = this.#tables.get(table) ?? this.#describe(table);
    this.#tables.set(table, known);
    // A table that is not there yet may be there at the next call.
    known.catch(() => this.#tables.delete(table));
    return known;
  }

  /** The indexes of a table by their names. */
  async indexesOf(table: string): Promise<Readonly<Record<string, IndexKeys>>> {
    return (await this.#keysOf(table)).indexes;
  }

  async read(part: Part): Promise<KeyedPart> {
    const { item, condition, table, index } = part;
    if (!item && !condition) return part;
    const keys = await this.#keysOf(table).catch(() => undefined);
    const names = (index ? keys?.indexes[index]?.names : keys?.own) ?? [];
    const values = names.map((name) => item?.[name] ?? (condition && demanded(condition, name)));
    const texts = values.filter((value) => value !== undefined).map(valueText);
    const [partition] = texts;
    if (partition === undefined) return part;
    const keyAttributes = item && Object.fromEntries(names.map((name, at) => [name, values[at] ?? {}]));
    return { ...part, partition, key: texts.join(' / '), ...(keyAttributes && { keyAttributes }) };
  }
}
