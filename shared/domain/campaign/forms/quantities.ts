import type { QuantityName } from '../document/kinds/form.ts';
import { counted, decimal, grouped } from '../words/amounts.ts';

/**
 * Whole numbers as people write them. A document has rates in small whole units; people write `2`, `0.57`, `5 %` or
 * `$0.01`. Texts become numbers digit by digit: a float would change them.
 */

/** How a quantity is written. */
export interface Quantity {
  /** The document counts in units of this many decimals: with 4, a written `1.5` is 15,000. */
  readonly decimals: number;
  /** A sign before the number. */
  readonly prefix: '$' | '×' | '';
  /** What follows the number: a sign, or the name of one unit. */
  readonly suffix: string;
  /** The decimals that are always written, as in `$2.50`. */
  readonly shownDecimals: number;
}

const plain = { decimals: 0, prefix: '', suffix: '', shownDecimals: 0 } as const;

export const quantities: Readonly<Record<QuantityName, Quantity>> = {
  count: plain,
  days: { ...plain, suffix: 'day' },
  times: { ...plain, suffix: 'time' },
  points: { ...plain, suffix: 'point' },
  pointsPerDollar: { ...plain, decimals: 4, suffix: 'point' },
  pointsPerPoint: { ...plain, decimals: 4, suffix: 'point' },
  factor: { ...plain, decimals: 4, prefix: '×' },
  percent: { ...plain, decimals: 2, suffix: '%' },
  money: { ...plain, decimals: 2, prefix: '$', shownDecimals: 2 },
  dollarsPerPoint: { ...plain, decimals: 6, prefix: '$', shownDecimals: 2 },
};

/** A text as a number of the document, or the fault in words that follow the name of the field. */
export type ReadQuantity = { readonly value: number } | { readonly fault: string };

/** Digits, with or without a comma before each three of them, and a fraction. */
const number = /^(?<whole>\d+|\d{1,3}(?:,\d{3})+)?(?:\.(?<fraction>\d+))?$/;

/**
 * Reads a quantity as people write it. Signs and units may be left out.
 *
 * @param text `2`, `0.57`, `1,234.50`, `$0.01`, `5 %`, `×1.5`, `500 points`
 */
export function readQuantity(text: string, name: QuantityName): ReadQuantity {
  const quantity = quantities[name];
  const groups = number.exec(withoutSigns(text, quantity))?.groups;
  const whole = groups?.whole?.replaceAll(',', '') ?? '';
  const fraction = (groups?.fraction ?? '').replace(/0+$/, '');
  if (!groups || whole + (groups.fraction ?? '') === '') return { fault: unreadable(text, name) };
  if (fraction.length > quantity.decimals) return { fault: tooFine(quantity) };
  const digits = whole + fraction.padEnd(quantity.decimals, '0');
  const value = Number(digits);
  return Number.isSafeInteger(value) ? { value } : { fault: 'is too large' };
}

/** Removes the sign and the unit of a quantity, where they are written. */
function withoutSigns(text: string, { prefix, suffix }: Quantity): string {
  const trimmed = text.trim().toLowerCase();
  const start = prefix !== '' && (trimmed.startsWith(prefix) || (prefix === '×' && trimmed.startsWith('x'))) ? 1 : 0;
  const ending = [`${suffix}s`, suffix].find((one) => suffix !== '' && trimmed.endsWith(one)) ?? '';
  return trimmed.slice(start, trimmed.length - ending.length).trim();
}

const sorts: Readonly<Partial<Record<QuantityName, string>>> = {
  money: 'an amount of money such as $12.50',
  percent: 'a percentage such as 5 %',
  dollarsPerPoint: 'an amount of money such as $0.01',
  pointsPerDollar: 'a number such as 2 or 0.57',
  pointsPerPoint: 'a number such as 2 or 0.57',
  factor: 'a number such as 1.5',
};

/** `0,5` and `1.000,00` are written with the comma of other countries. */
const commaDecimals = /^\D*(?:\d+|\d{1,3}(?:\.\d{3})+),\d+\D*$/;

const unreadable = (text: string, name: QuantityName): string =>
  quantities[name].decimals > 0 && commaDecimals.test(text)
    ? 'has to have a point before its decimals, as in 1,234.5'
    : `has to be ${sortOf(name)}`;

const sortOf = (name: QuantityName) => sorts[name] ?? 'a whole number';

const tooFine = ({ decimals }: Quantity) =>
  decimals === 0 ? 'has to be a whole number' : `has to have at most ${counted(String(decimals), 'decimal')}`;

/** Writes a number of the document as people read it, with sign and unit: `$12.50`, `5 %`, `2 points`. */
export function writeQuantity(value: number, name: QuantityName): string {
  const { prefix, suffix } = quantities[name];
  const text = prefix + digitsOf(value, name);
  if (suffix === '') return text;
  return suffix === '%' ? `${text} %` : counted(text, suffix);
}

/** Writes a number of the document without sign and unit, as a field shows it: `12.50`, `5`, `2`. */
export function digitsOf(value: number, name: QuantityName): string {
  const { decimals, shownDecimals } = quantities[name];
  const [whole = '', fraction = ''] = decimal(value, decimals).split('.');
  const shown = fraction.padEnd(shownDecimals, '0');
  return grouped(shown === '' ? whole : `${whole}.${shown}`);
}
