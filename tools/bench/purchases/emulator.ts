import { partitions } from '../../../shared/contracts/table.ts';
import { type AwsJsonService, callAws, dynamoDbService } from '../../local/aws-json.ts';
/** An item in DynamoDB's own format. */
export type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Description {
  readonly Table: {
    readonly KeySchema: object[];
    readonly AttributeDefinitions: object[];
    readonly GlobalSecondaryIndexes: readonly { IndexName: string; KeySchema: object[]; Projection: object }[];
    readonly StreamSpecification: object;
  };
}

/** All items of a table. */
export async function itemsOf(endpoint: string, table: string): Promise<Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await callAws<{ Items: Item[]; LastEvaluatedKey?: Item }>(dynamoDbService(endpoint), 'Scan', {
      TableName: table,
      ...(from && { ExclusiveStartKey: from }),
    });
    items.push(...page.Items);
    from = page.LastEvaluatedKey;
  } while (from);
  return items;
}

interface Cloning {
  /** Endpoint of the DynamoDB Local that has the table. */
  readonly from: string;
  /** Endpoint of the DynamoDB Local that gets the new table. */
  readonly to: string;
  readonly table: string;
  /** The items of the new table. */
  readonly items: readonly Item[];
}

/** Makes a table with the keys, indexes and stream of the platform's table, and fills it. */
export async function cloneTable({ from, to, table, items }: Cloning): Promise<void> {
  const { Table } = await callAws<Description>(dynamoDbService(from), 'DescribeTable', { TableName: table });
  const service = dynamoDbService(to);
  const { KeySchema, AttributeDefinitions, StreamSpecification } = Table;
  await callAws(service, 'CreateTable', {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema,
    AttributeDefinitions,
    StreamSpecification,
    GlobalSecondaryIndexes: Table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
  });
  await putAll(service, table, items);
}

/** The maximum number of items in one batch. */
const batchSize = 25;

async function putAll(service: AwsJsonService, table: string, items: readonly Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += batchSize) {
    const puts = items.slice(start, start + batchSize).map((Item) => ({ PutRequest: { Item } }));
    await callAws(service, 'BatchWriteItem', { RequestItems: { [table]: puts } });
  }
}

/**
 * Compares two tables, except for the positions of scheduled jobs, which change every minute.
 *
 * @throws Error that names an item that differs, or that only one table contains
 */
export function requireSameItems(items: readonly Item[], others: readonly Item[]): void {
  const [texts, otherTexts] = [textsOf(items), textsOf(others)];
  for (const key of new Set([...texts.keys(), ...otherTexts.keys()])) {
    if (texts.get(key) === otherTexts.get(key)) continue;
    throw new Error(`the tables differ: ${texts.get(key) ?? 'nothing'} and ${otherTexts.get(key) ?? 'nothing'}`);
  }
}

/** Maps the key of each item to the item as text, with its attributes in alphabetical order. */
function textsOf(items: readonly Item[]): Map<string, string> {
  const compared = items.filter(({ pk }) => !String(pk?.S).startsWith(partitions.sequence));
  const entries = compared.map((item): [string, string] => [
    `${item.pk?.S} / ${item.sk?.S}`,
    JSON.stringify(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1))),
  ]);
  return new Map(entries);
}
