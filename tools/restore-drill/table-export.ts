import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { awsMaximumItems } from '../../shared/contracts/limits.ts';
import { callAws, dynamoDbService } from '../local/aws-json.ts';

/** An item in DynamoDB's own form, as an export of the service contains it. */
type WireItem = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;

/** A table of a DynamoDB Local. */
export interface LocalTable {
  readonly endpoint: string;
  readonly name: string;
}

interface Page {
  readonly Items: readonly WireItem[];
  readonly LastEvaluatedKey?: WireItem;
}

export async function readItems({ endpoint, name }: LocalTable): Promise<WireItem[]> {
  const items: WireItem[] = [];
  let last: WireItem | undefined;
  do {
    const input = { TableName: name, ConsistentRead: true, ...(last && { ExclusiveStartKey: last }) };
    const page: Page = await callAws<Page>(dynamoDbService(endpoint), 'Scan', input);
    items.push(...page.Items);
    last = page.LastEvaluatedKey;
  } while (last);
  return items;
}

/** Writes a table to a folder in the format of DynamoDB's export to S3: lines of JSON, compressed. */
export async function exportTable(table: LocalTable, folder: string): Promise<void> {
  const lines = (await readItems(table)).map((Item) => `${JSON.stringify({ Item })}\n`);
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(join(folder, 'data', 'part-1.json.gz'), gzipSync(lines.join('')));
}

/** Lists the files of an export in a folder, at any depth, because `aws s3 cp --recursive` keeps the subfolders. */
export function listExportFiles(folder: string): string[] {
  const files = globSync(join(folder, '**', '*.json.gz')).sort();
  if (files.length === 0) throw new Error(`${folder} has no files *.json.gz of an export in the format DYNAMODB_JSON`);
  return files;
}

/** Reads an export. */
export function readExport(folder: string): WireItem[] {
  return listExportFiles(folder).flatMap((file) =>
    gunzipSync(readFileSync(file))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line): WireItem => JSON.parse(line).Item),
  );
}

/** Writes items to an empty table. */
export async function importItems({ endpoint, name }: LocalTable, items: readonly WireItem[]): Promise<void> {
  const size = awsMaximumItems.itemsPerBatch;
  for (let first = 0; first < items.length; first += size) {
    const requests = items.slice(first, first + size).map((Item) => ({ PutRequest: { Item } }));
    await callAws(dynamoDbService(endpoint), 'BatchWriteItem', { RequestItems: { [name]: requests } });
  }
}

/** The number of items of one kind, and for each attribute the sum of its numbers. */
interface Tally {
  count: number;
  readonly sums: Record<string, number>;
}

/** Returns a tally for each prefix of partition keys. The tallies show what a copy has lost or changed. */
export function tallyOf(items: readonly WireItem[]): Readonly<Record<string, Tally>> {
  const tallies: Record<string, Tally> = {};
  for (const item of items) {
    const kind = item.pk?.S?.split('#')[0] ?? '';
    tallies[kind] ??= { count: 0, sums: {} };
    const tally = tallies[kind];
    tally.count += 1;
    for (const [name, { N }] of Object.entries(item)) {
      if (N !== undefined) tally.sums[name] = (tally.sums[name] ?? 0) + Number(N);
    }
  }
  return tallies;
}

/** One line for each count and sum that differs. */
export function differences(items: readonly WireItem[], restored: readonly WireItem[]): string[] {
  const [wanted, found] = [linesOf(tallyOf(items)), linesOf(tallyOf(restored))];
  return [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((name) => wanted.get(name) !== found.get(name))
    .map((name) => `${name}: ${found.get(name) ?? 'nothing'} restored of ${wanted.get(name) ?? 'nothing'}`);
}

function linesOf(tallies: Readonly<Record<string, Tally>>): Map<string, number> {
  return new Map(
    Object.entries(tallies).flatMap(([kind, { count, sums }]): [string, number][] => [
      [`${kind} items`, count],
      ...Object.entries(sums).map(([name, sum]): [string, number] => [`${kind} ${name}`, sum]),
    ]),
  );
}
