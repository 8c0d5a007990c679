import type { AttributeValue, Item } from './request.ts';

type Sizer = (value: unknown) => number;

const bytesOf = (text: unknown): number => Buffer.byteLength(String(text));

/** Two digits fit in a byte; sign and exponent take one more. */
const numberBytes = (text: unknown): number => Math.ceil(String(text).replace(/[^0-9]/g, '').length / 2) + 1;

const binaryBytes = (base64: unknown): number => Buffer.from(String(base64), 'base64').length;

const sum = (values: readonly unknown[], sizer: Sizer): number =>
  values.reduce<number>((total, value) => total + sizer(value), 0);

const listed = (values: unknown, sizer: Sizer): number => sum(values as unknown[], sizer);

/** Lists and maps take three bytes, and one more for each element. */
const sizers: Readonly<Record<string, Sizer>> = {
  S: bytesOf,
  N: numberBytes,
  B: binaryBytes,
  BOOL: () => 1,
  NULL: () => 1,
  SS: (values) => listed(values, bytesOf),
  NS: (values) => listed(values, numberBytes),
  BS: (values) => listed(values, binaryBytes),
  L: (values) => 3 + listed(values, (value) => 1 + valueBytes(value as AttributeValue)),
  M: (values) => 3 + itemBytes(values as Item) + Object.keys(values as Item).length,
};

function valueBytes(value: AttributeValue): number {
  return sum(Object.entries(value), (entry) => {
    const [type, content] = entry as [string, unknown];
    return sizers[type]?.(content) ?? 0;
  });
}

/** What an item takes, as DynamoDB counts it ("DynamoDB item sizes and formats"). */
export function itemBytes(item: Item): number {
  return sum(Object.entries(item), (entry) => {
    const [name, value] = entry as [string, AttributeValue];
    return bytesOf(name) + valueBytes(value);
  });
}
