import { CsvError, parse } from 'csv-parse/sync';
import * as z from 'zod/mini';
import { parseWith } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import type { CampaignFault } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import type { ImportReport, ImportRow } from '../../../shared/operations/import-rows.ts';
import { readText } from './files.ts';
import { OperatorError } from './text.ts';

/** A record of the file. */
const CsvRecord = z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) });
type CsvRecord = z.infer<typeof CsvRecord>;

type RowFault = ImportReport['faults'][number];

/**
 * The rows of a CSV file. A row with faults is in `faults` only. One faulty row does not end the check of the other
 * rows, so the report names all faults at once.
 */
export interface CsvRows<Row> {
  readonly rows: readonly ImportRow<Row>[];
  readonly faults: readonly RowFault[];
}

/**
 * Reads a CSV file (RFC 4180, UTF-8) whose first line names the columns. The schema receives an object of texts for
 * each row; empty cells are absent.
 *
 * @throws OperatorError when the file cannot be read or is not CSV, or its first line does not name columns
 */
export async function readCsvFile<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<CsvRows<z.infer<Schema>>> {
  const [header, ...others] = parseCsv(path, await readText(path));
  const columns = columnsIn(path, header?.record ?? []);
  const read = others.map(({ record, info: { lines: line } }) => ({ line, ...readRow(record, columns, schema) }));
  return {
    rows: read.flatMap((one) => ('parsed' in one ? [{ line: one.line, row: one.parsed }] : [])),
    faults: read.flatMap((one) =>
      'faults' in one ? [{ line: one.line, error: new OperatorError(one.faults.map(faultText).join('; ')) }] : [],
    ),
  };
}

const faultText = ({ pointer, message }: CampaignFault) =>
  pointer === '' ? message : `${pointer.slice(1)}: ${message}`;

/** Adds the faults of unreadable rows to the report about the readable rows. */
export const withUnreadable = (report: ImportReport, { faults }: Pick<CsvRows<unknown>, 'faults'>): ImportReport => ({
  ...report,
  faults: [...faults, ...report.faults].toSorted((one, other) => one.line - other.line),
});

/**
 * Splits a text into records.
 *
 * @throws OperatorError when a quote is in the wrong place: then it is unknown where the next record begins
 */
function parseCsv(path: string, text: string): readonly CsvRecord[] {
  try {
    // The parser accepts records with any number of cells. `readRow` compares each record with the first line, so a
    // record of the wrong length is a fault of this record only.
    const form = { bom: true, info: true, skip_empty_lines: true, trim: true, relax_column_count: true };
    return z.array(CsvRecord).parse(parse(text, form));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const fault =
      error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'begins a quote that does not end' : 'has a quote in the wrong place';
    const advice = 'a cell with quotes begins and ends with a quote, and has "" for each quote inside';
    throw new OperatorError(`${path} is not CSV: line ${error.lines} ${fault}; ${advice}. Nothing was written.`);
  }
}

/** The names in the first line. @throws OperatorError when there are none, or one is blank or repeated */
function columnsIn(path: string, columns: readonly string[]): readonly string[] {
  if (columns.length === 0) throw new OperatorError(`${path} is empty: its first line has to name the columns`);
  const unusable = columns.filter((name, position) => name === '' || columns.indexOf(name) !== position);
  if (unusable.length === 0) return columns;
  throw new OperatorError(`${path}: the first line has to name each column once, not “${unusable.join('”, “')}”`);
}

function readRow<Schema extends z.ZodMiniType>(cells: readonly string[], columns: readonly string[], schema: Schema) {
  if (cells.length !== columns.length) {
    const message = `has ${cells.length} cells, and the first line names ${columns.length} columns`;
    return { faults: [{ pointer: '', code: 'cell_count', message }] };
  }
  const named = cells.map((cell, position) => [columns[position] ?? '', cell] as const);
  return parseWith(schema, Object.fromEntries(named.filter(([, cell]) => cell !== '')));
}
