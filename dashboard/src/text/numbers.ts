const whole = new Intl.NumberFormat('en-US');

/** `12,400` */
export const numberText = (value: number): string => whole.format(value);

/** `$1,234.50` */
export const dollarsText = (cents: number): string => dollars.format(cents / 100);

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `1 campaign`, `2 campaigns` */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`;

/** `Ann`, `Ann and Bob`, `Ann, Bob and Cleo` */
export const listText = (names: readonly string[]): string => listFormat.format(names);

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' });
