import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type * as z from 'zod/mini';
import { FaultyDocumentError, parseWith } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import type { ImportRow } from '../../../shared/operations/import-rows.ts';
import { readText } from './cli.ts';
import { OperatorError } from './text.ts';

interface ParsedRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * Reads a CSV file (RFC 4180, UTF-8) whose first line names the columns. The schema receives an object of texts per row;
 * empty cells are absent.
 *
 * @throws OperatorError when the file cannot be read or is not CSV
 * @throws FaultyDocumentError with every fault of every row, each by its line
 */
export async function readCsvFile<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<ImportRow<z.infer<Schema>>[]> {
  const parsed = parseCsv(path, await readText(path)).map(({ record, info: { lines: line } }) => {
    const cells = Object.entries(record).filter(([, cell]) => cell !== '');
    return { line, read: parseWith(schema, Object.fromEntries(cells)) };
  });
  const faults = parsed.flatMap(({ line, read }) =>
    'faults' in read ? read.faults.map((fault) => ({ ...fault, pointer: `line ${line}${fault.pointer}` })) : [],
  );
  if (faults.length > 0) throw new FaultyDocumentError(path, faults);
  return parsed.flatMap(({ line, read }) => ('parsed' in read ? [{ line, row: read.parsed }] : []));
}

function parseCsv(path: string, text: string): readonly ParsedRow[] {
  try {
    return parse(text, { bom: true, columns: true, info: true, skip_empty_lines: true, trim: true }) as never;
  } catch (error) {
    throw new OperatorError(`${path} is not CSV: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Returns CSV with a line of column names. Text that a spreadsheet would run as a formula is quoted, because members and
 * partners choose names.
 */
export function csvText(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return stringify([columns, ...rows.map((row) => row.map(harmless))]);
}

/** Numbers stay unquoted: the library's own option would also quote an amount below zero. */
const harmless = (cell: string | number | null) =>
  typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
