/** Rows as CSV (RFC 4180). Texts that a spreadsheet would take for a formula begin with an apostrophe. */
export const csvText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

const cellText = (value: string): string => `"${withoutFormula(value).replaceAll('"', '""')}"`;

const withoutFormula = (value: string): string => (/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
