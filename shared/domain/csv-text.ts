export type CsvCell = string | number | null;

/**
 * Returns CSV (RFC 4180, lines end with a line feed) with a line of column names. A text that a spreadsheet would run as
 * a formula gets an apostrophe in front, because members, partners and staff choose names.
 */
export function csvText(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\n`).join('');
}

function cellText(cell: CsvCell): string {
  const text = typeof cell === 'string' ? harmless(cell) : String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Numbers stay as they are: one below zero begins with a minus sign, and runs nothing. */
const harmless = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
