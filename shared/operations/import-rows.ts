import { maximumCount } from '../contracts/limits.ts';
import { FaultyDocumentError } from '../domain/campaign/authoring/schema-faults.ts';
import { InvalidInputError } from '../domain/errors.ts';
import { OperationError, type Subject, subjectText } from './errors.ts';

/** One row of a file, with the number of its line. */
export interface ImportRow<Row> {
  readonly line: number;
  readonly row: Row;
}

/** What a row does to the platform. `unchanged`: the platform already has the values of the row. */
export type RowOutcome = 'created' | 'changed' | 'unchanged';

/** A row that was checked against the platform. `write` is not called in a dry run, and never for an unchanged row. */
export interface PlannedRow {
  readonly outcome: RowOutcome;
  readonly write: () => Promise<unknown>;
}

/** The result of an import. Rows with faults wrote nothing; the others were written. */
export interface ImportReport {
  readonly isDryRun: boolean;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly faults: readonly { readonly line: number; readonly error: Error }[];
}

/**
 * Imports rows independently of each other: a fault in one row stops no other row. Some rows are imported at the same
 * time. An import that was interrupted is repeated with the same file: rows that are done count as unchanged.
 *
 * @param plan checks a row and returns its write. For a fault of the row, it throws OperationError, InvalidInputError
 * or FaultyDocumentError.
 * @throws every other error, such as an error of DynamoDB, after the rows in progress have ended
 */
export async function importRows<Row>(
  rows: readonly ImportRow<Row>[],
  plan: (row: Row) => Promise<PlannedRow>,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<ImportReport> {
  const counts = { created: 0, changed: 0, unchanged: 0 };
  const faults: { line: number; error: Error }[] = [];
  const importRow = async ({ line, row }: ImportRow<Row>) => {
    try {
      const { outcome, write } = await plan(row);
      if (!isDryRun && outcome !== 'unchanged') await write();
      counts[outcome] += 1;
    } catch (error) {
      if (!isRowFault(error)) throw error;
      faults.push({ line, error });
    }
  };
  for (let first = 0; first < rows.length; first += maximumCount.importedTogether) {
    const results = await Promise.allSettled(rows.slice(first, first + maximumCount.importedTogether).map(importRow));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
  return { isDryRun, ...counts, faults: faults.toSorted((one, other) => one.line - other.line) };
}

/** Whether an error is about a row. Every other error stops the import. */
const isRowFault = (error: unknown): error is Error =>
  error instanceof OperationError || error instanceof InvalidInputError || error instanceof FaultyDocumentError;

/** An earlier row of the file is about the same thing. */
class RepeatedRowError extends OperationError {
  override readonly name = 'RepeatedRowError';
}

/**
 * Returns a check that throws when it is called again with the same name. An import checks its rows in the sequence of
 * the file, so only the later of two rows fails.
 */
export function onlyOnce(kind: string): (name: string) => void {
  const seen = new Set<string>();
  return (name) => {
    if (seen.has(name)) throw new RepeatedRowError(`an earlier line is about the ${kind} ${name} already`);
    seen.add(name);
  };
}

/** Values of a row differ from the values that the platform has. An import changes nothing that exists already. */
export class DifferentValuesError extends OperationError {
  override readonly name = 'DifferentValuesError';

  constructor(subject: Subject, names: readonly string[]) {
    super(`${subjectText(subject)} is there already, with another ${names.join(', ')}`);
  }
}
