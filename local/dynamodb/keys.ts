import { callAws } from '../aws-json.ts';
import { type AttributeValue, type Condition, type Part, valueText } from './request.ts';
import { dynamoDbService } from './tables.ts';

/** Names of the key attributes of a table or an index, the partition key first. */
type KeyNames = readonly string[];

interface TableKeys {
  readonly own: KeyNames;
  readonly indexes: Readonly<Record<string, KeyNames>>;
}

interface KeySchema {
  readonly AttributeName: string;
  readonly KeyType: string;
}

interface Description {
  readonly Table: {
    readonly KeySchema: KeySchema[];
    readonly GlobalSecondaryIndexes?: { readonly IndexName: string; readonly KeySchema: KeySchema[] }[];
    readonly LocalSecondaryIndexes?: { readonly IndexName: string; readonly KeySchema: KeySchema[] }[];
  };
}

function keyNames(schema: readonly KeySchema[]): KeyNames {
  return schema.map(({ AttributeName }) => AttributeName);
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
    const indexes = [...(Table.GlobalSecondaryIndexes ?? []), ...(Table.LocalSecondaryIndexes ?? [])];
    return {
      own: keyNames(Table.KeySchema),
      indexes: Object.fromEntries(indexes.map(({ IndexName, KeySchema }) => [IndexName, keyNames(KeySchema)])),
    };
  }

  #keysOf(table: string): Promise<TableKeys> {
    const known = this.#tables.get(table) ?? this.#describe(table);
    this.#tables.set(table, known);
    // A table that is not there yet may be there at the next call.
    known.catch(() => this.#tables.delete(table));
    return known;
  }

  async read(part: Part): Promise<KeyedPart> {
    const { item, condition, table, index } = part;
    if (!item && !condition) return part;
    const keys = await this.#keysOf(table).catch(() => undefined);
    const names = (index ? keys?.indexes[index] : keys?.own) ?? [];
    const values = names.map((name) => item?.[name] ?? (condition && demanded(condition, name)));
    const texts = values.filter((value) => value !== undefined).map(valueText);
    const [partition] = texts;
    return partition === undefined ? part : { ...part, partition, key: texts.join(' / ') };
  }
}
