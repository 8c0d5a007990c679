import { callAws, dynamoDbService } from '../aws-json.ts';
import type { Capacity } from './call.ts';
import type { IndexKeys, KeyedPart, KeyReader } from './keys.ts';
import type { Item } from './request.ts';

type Image = Item | undefined;

const factors: Readonly<Record<string, number>> = { TransactWriteItems: 2, TransactGetItems: 2, BatchWriteItem: 1 };

/**
 * Whether the operation has several parts. DynamoDB Local reports too little for such a call: it counts parts of equal
 * cost only once. So three writes of small items in one transaction count as 2 units instead of 6.
 */
export function hasManyParts(operation: string): boolean {
  return /^(Transact|Batch)/.test(operation);
}

/** Measures one call of several parts from the items before and after the call. */
export class PartCapacity {
  readonly #endpoint: string;
  readonly #keys: KeyReader;
  readonly #operation: string;
  readonly #parts: readonly KeyedPart[];
  #before: Image[] = [];

  constructor(keys: KeyReader, operation: string, parts: readonly KeyedPart[]) {
    this.#endpoint = keys.endpoint;
    this.#keys = keys;
    this.#operation = operation;
    this.#parts = parts.filter(({ keyAttributes }) => keyAttributes !== undefined);
  }

  get #isWrite(): boolean {
    return this.#operation.includes('Write');
  }

  /** Must be called before DynamoDB receives the call. */
  async readBefore(): Promise<void> {
    if (this.#isWrite) this.#before = await this.#readItems();
  }

  /** Must be called after DynamoDB has carried out the call. */
  async measure(): Promise<Capacity> {
    const items = await this.#readItems();
    return this.#isWrite ? this.#measureWrites(items) : this.#measureReads(items);
  }

  /** Reads the items of all parts. The proxy does not record this call. */
  async #readItems(): Promise<Image[]> {
    if (this.#parts.length === 0) return [];
    const gets = this.#parts.map(({ table, keyAttributes }) => ({ Get: { TableName: table, Key: keyAttributes } }));
    const service = dynamoDbService(this.#endpoint);
    const reply = await callAws<{ Responses: { Item?: Item }[] }>(service, 'TransactGetItems', { TransactItems: gets });
    return reply.Responses.map(({ Item }) => Item);
  }

  #measureReads(images: readonly Image[]): Capacity {
    const units = images.map((image, position) => {
      const batchFactor = this.#parts[position]?.consistent ? 1 : 0.5;
      return toReadUnits(measureImage(image)) * (factors[this.#operation] ?? batchFactor);
    });
    return { readUnits: units.reduce((total, unit) => total + unit, 0), writeUnits: 0, unitsByIndex: {} };
  }

  async #measureWrites(after: readonly Image[]): Promise<Capacity> {
    const factor = factors[this.#operation] ?? 1;
    const unitsByIndex: Record<string, number> = {};
    let total = 0;
    for (const [position, part] of this.#parts.entries()) {
      const [old, next] = [this.#before[position], after[position]];
      total += factor * toWriteUnits(Math.max(measureImage(old), measureImage(next)));
      for (const [name, index] of Object.entries(await this.#keys.indexesOf(part.table))) {
        const units = measureIndexWrite(old, next, index);
        if (units === 0) continue;
        unitsByIndex[name] = (unitsByIndex[name] ?? 0) + units;
        total += units;
      }
    }
    return { readUnits: 0, writeUnits: total, unitsByIndex };
  }
}

function toWriteUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}

function toReadUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4096));
}

/** Returns the part of an item that an index stores, or undefined when the item lacks one of the index's keys. */
function projectImage(image: Image, { names, projection, included, tableKey }: IndexKeys): Image {
  if (!image || names.some((name) => image[name] === undefined)) return undefined;
  if (projection === 'ALL') return image;
  const projected = new Set([...names, ...tableKey, ...included]);
  return Object.fromEntries(Object.entries(image).filter(([name]) => projected.has(name)));
}

function areEqual(first: Image, second: Image, names?: readonly string[]): boolean {
  const all = names ?? [...new Set([...Object.keys(first ?? {}), ...Object.keys(second ?? {})])];
  return all.every((name) => JSON.stringify(first?.[name]) === JSON.stringify(second?.[name]));
}

/**
 * Measures the write to an index. A change of the index's key deletes one entry and puts another. An entry costs the
 * same in a transaction as elsewhere: AWS doubles the units of the table only (measured by nubo-db/dynoxide, pull
 * request 188).
 */
function measureIndexWrite(before: Image, after: Image, index: IndexKeys): number {
  const [old, next] = [projectImage(before, index), projectImage(after, index)];
  if (!old && !next) return 0;
  if (!old || !next) return toWriteUnits(measureImage(old ?? next));
  if (!areEqual(old, next, index.names)) return toWriteUnits(measureImage(old)) + toWriteUnits(measureImage(next));
  return areEqual(old, next) ? 0 : toWriteUnits(Math.max(measureImage(old), measureImage(next)));
}

/** Returns an item's size in bytes, by the rules of "DynamoDB item sizes and formats". */
export function measureImage(image: Image): number {
  return sum(Object.entries(image ?? {}), ([name, value]) => measureText(name) + measureValue(value));
}

type Measure = (value: unknown) => number;

/** Lists and maps take three bytes, and one more for each element. */
const measures: Readonly<Record<string, Measure>> = {
  S: measureText,
  N: measureNumber,
  B: (base64) => Buffer.from(String(base64), 'base64').length,
  BOOL: () => 1,
  NULL: () => 1,
  SS: (values) => sum(toList(values), measureText),
  NS: (values) => sum(toList(values), measureNumber),
  BS: (values) => sum(toList(values), (base64) => Buffer.from(String(base64), 'base64').length),
  L: (values) => 3 + sum(toList(values), (value) => 1 + measureValue(value)),
  M: (values) => 3 + sum(toEntries(values), ([name, value]) => 1 + measureText(name) + measureValue(value)),
};

function measureValue(value: unknown): number {
  return sum(toEntries(value), ([type, content]) => measures[type]?.(content) ?? 0);
}

function measureText(text: unknown): number {
  return Buffer.byteLength(String(text));
}

/** Two digits fit in a byte. Sign and exponent take one more byte. */
function measureNumber(text: unknown): number {
  return Math.ceil(String(text).replace(/[^0-9]/g, '').length / 2) + 1;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toEntries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function sum<Element>(elements: readonly Element[], measure: (element: Element) => number): number {
  return elements.reduce((total, element) => total + measure(element), 0);
}
