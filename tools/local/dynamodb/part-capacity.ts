import { callAws } from '../aws-json.ts';
import type { Capacity } from './call.ts';
import { itemBytes } from './item-size.ts';
import type { IndexKeys, KeyedPart, KeyReader } from './keys.ts';
import type { Item } from './request.ts';
import { dynamoDbService } from './tables.ts';

/**
 * What calls of several parts consume. DynamoDB Local counts parts that cost the same only once:
 * three writes of a small item in one transaction come as 2 units instead of 6.
 */

type Image = Item | undefined;

const factors: Readonly<Record<string, number>> = { TransactWriteItems: 2, TransactGetItems: 2, BatchWriteItem: 1 };

/** Whether an operation's own account cannot be trusted. */
export function hasManyParts(operation: string): boolean {
  return /^(Transact|Batch)/.test(operation);
}

const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));
const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
const bytesOf = (image: Image): number => (image ? itemBytes(image) : 0);

/** What an index holds of an item; nothing when the item lacks one of its keys. */
function entryOf(image: Image, { names, projection, included, tableKey }: IndexKeys): Image {
  if (!image || names.some((name) => image[name] === undefined)) return undefined;
  if (projection === 'ALL') return image;
  const kept = new Set([...names, ...tableKey, ...included]);
  return Object.fromEntries(Object.entries(image).filter(([name]) => kept.has(name)));
}

function same(first: Image, second: Image, names?: readonly string[]): boolean {
  const all = names ?? [...new Set([...Object.keys(first ?? {}), ...Object.keys(second ?? {})])];
  return all.every((name) => JSON.stringify(first?.[name]) === JSON.stringify(second?.[name]));
}

/** A changed key is an entry deleted and another one put. */
function indexUnits(before: Image, after: Image, index: IndexKeys): number {
  const [old, next] = [entryOf(before, index), entryOf(after, index)];
  if (!old && !next) return 0;
  if (!old || !next) return writeUnits(bytesOf(old ?? next));
  if (!same(old, next, index.names)) return writeUnits(bytesOf(old)) + writeUnits(bytesOf(next));
  return same(old, next) ? 0 : writeUnits(Math.max(bytesOf(old), bytesOf(next)));
}

/** Reads the items that parts touch, past the account of calls. */
async function imagesOf(endpoint: string, parts: readonly KeyedPart[]): Promise<Image[]> {
  const TransactItems = parts.map(({ table, keyAttributes }) => ({ Get: { TableName: table, Key: keyAttributes } }));
  const answer = await callAws<{ Responses: { Item?: Item }[] }>(dynamoDbService(endpoint), 'TransactGetItems', {
    TransactItems,
  });
  return answer.Responses.map(({ Item }) => Item);
}

/** Measures one call of several parts: `before` it is carried out, and what it cost afterwards. */
export class PartCapacity {
  readonly #endpoint: string;
  readonly #keys: KeyReader;
  readonly #operation: string;
  readonly #parts: readonly KeyedPart[];
  #before: Image[] = [];

  constructor(endpoint: string, keys: KeyReader, operation: string, parts: readonly KeyedPart[]) {
    this.#endpoint = endpoint;
    this.#keys = keys;
    this.#operation = operation;
    this.#parts = parts.filter(({ keyAttributes }) => keyAttributes !== undefined);
  }

  get #writes(): boolean {
    return this.#operation.includes('Write');
  }

  async before(): Promise<void> {
    if (this.#writes && this.#parts.length > 0) this.#before = await imagesOf(this.#endpoint, this.#parts);
  }

  async after(): Promise<Capacity> {
    const images = this.#parts.length > 0 ? await imagesOf(this.#endpoint, this.#parts) : [];
    return this.#writes ? this.#written(images) : this.#read(images);
  }

  #read(images: readonly Image[]): Capacity {
    const consistent = this.#parts.map(({ consistent }) => (consistent ? 1 : 0.5));
    const units = images.map((image, index) => {
      return readUnits(bytesOf(image)) * (factors[this.#operation] ?? consistent[index] ?? 1);
    });
    return { readUnits: units.reduce((total, unit) => total + unit, 0), writeUnits: 0, unitsByIndex: {} };
  }

  async #written(after: readonly Image[]): Promise<Capacity> {
    const factor = factors[this.#operation] ?? 1;
    const unitsByIndex: Record<string, number> = {};
    let total = 0;
    for (const [position, part] of this.#parts.entries()) {
      const [old, next] = [this.#before[position], after[position]];
      total += factor * writeUnits(Math.max(bytesOf(old), bytesOf(next)));
      for (const [name, index] of Object.entries(await this.#keys.indexesOf(part.table))) {
        const units = factor * indexUnits(old, next, index);
        if (units === 0) continue;
        unitsByIndex[name] = (unitsByIndex[name] ?? 0) + units;
        total += units;
      }
    }
    return { readUnits: 0, writeUnits: total, unitsByIndex };
  }
}
