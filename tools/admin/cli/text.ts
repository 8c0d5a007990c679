/** Text for people. */

/** A cell of a table. Numbers are aligned to the right. */
export type Cell = string | number | boolean | null;

/** Characters that move the cursor or change the direction of text. Names may contain them: members choose names. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const unprintableButNewLine = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces the characters that control a terminal. */
export const printable = (text: string) => text.replaceAll(unprintableButNewLine, '\ufffd');

/** Returns JSON in which the characters that control a terminal are escaped. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(unprintableButNewLine, escaped);
}

/** Formats rows in columns, under the names of the columns. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map(cellText));
  const widths = columns.map((name, column) =>
    Math.max(...[name, ...texts.map((row) => row[column] ?? '')].map(width)),
  );
  const isRight = columns.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const gap = ' '.repeat((widths[column] ?? 0) - width(cell));
        return isRight[column] ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((length) => '-'.repeat(length));
  return [columns, rule, ...texts].map(line).join('\n');
}

/** Formats names and values, one pair a line. */
export function facts(entries: Readonly<Record<string, Cell>>): string {
  const longest = Math.max(...Object.keys(entries).map(width));
  return Object.entries(entries)
    .map(([name, value]) => `${name}${' '.repeat(longest - width(name))}  ${cellText(value)}`)
    .join('\n');
}

/** Indents a body under its heading. */
export function section(heading: string, body: string): string {
  return `${heading}\n${body.replaceAll(/^(?=.)/gm, '  ')}`;
}

/** Joins parts with an empty line between them. */
export const paragraphs = (...parts: readonly string[]) => parts.join('\n\n');

/** `1,234,567` */
export const count = (value: number) => value.toLocaleString('en-US');

/** `1 point`, `0.5 points`, from a formatted number. */
export const counted = (number: string, one: string) => (number === '1' ? `1 ${one}` : `${number} ${one}s`);

/** `2026-11-21 03:12:04 UTC`, from ISO 8601. */
export const moment = (at: string) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** `$42.50` */
export const dollars = (cents: number) => (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });

/** `a, b and c` */
export function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? 'none';
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last;
}

function cellText(cell: Cell): string {
  if (cell === null || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return String(cell).replaceAll(unprintable, '\ufffd');
}

const width = (text: string) => [...text].length;
const isNumber = (cell: Cell | undefined) => cell === null || /^[-+]?[\d,]+$/.test(String(cell));
