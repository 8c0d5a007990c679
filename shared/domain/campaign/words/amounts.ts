import type { Unit } from '../document/kinds/kind.ts';

/** Numbers and amounts as people read them. */

/** `1,234,567` */
export const count = (value: number) => value.toLocaleString('en-US');

/** `1 point`, `0.5 points`, from a formatted number. */
export const counted = (number: string, one: string) => (number === '1' ? `1 ${one}` : `${number} ${one}s`);

/** `$42.50` */
export const dollars = (cents: number) => (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });

/** An amount with its unit: `$12.50`, `66.5 days`, `1 point`. */
export function amountInWords(amount: number, unit: Unit): string {
  switch (unit) {
    case 'cents':
      return dollars(amount);
    case 'days':
      return counted(count(Math.floor(amount * 100) / 100), 'day');
    case 'events':
      return counted(count(amount), 'time');
    case 'points':
      return counted(count(amount), 'point');
    case 'none':
      return count(amount);
  }
}

/** Writes a scaled integer exactly, without trailing zeros: 15000 with four decimals is `1.5`. */
export function decimal(value: number, decimals: number): string {
  if (decimals === 0) return String(value);
  const digits = String(value).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction && `.${fraction}`);
}

/** A rate with its unit: `2 points`, `2.5 cents`, `$5.00`, `$0.0075`. */
export function rateInWords(rate: string, of: 'point' | 'cent' | 'dollar' | null): string {
  if (of === null) return rate;
  if (of === 'dollar') return `$${rate}`;
  const isDollars = of === 'cent' && Number.isInteger(Number(rate)) && Number(rate) >= 100;
  return isDollars ? dollars(Number(rate)) : counted(grouped(rate), of);
}

/** Groups the digits of a decimal before its point: `12,345.67`. */
export function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}
