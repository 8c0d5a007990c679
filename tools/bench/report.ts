import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A row of a table: the keys are the names of the columns. The first row decides which columns the table has. */
export type Row = Readonly<Record<string, string | number>>;

/** Renders rows as a text table. Numbers are aligned to the right. */
export function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {}).map((name) => column(name, rows));
  const lines = rows.map((row) =>
    columns
      .map(({ name, width }) => cell(row[name], width))
      .join('  ')
      .trimEnd(),
  );
  const head = columns.map(({ name, width, isNumeric }) => (isNumeric ? name.padStart(width) : name.padEnd(width)));
  const rule = columns.map(({ width }) => '-'.repeat(width));
  return [head.join('  ').trimEnd(), rule.join('  '), ...lines].join('\n');
}

function column(name: string, rows: readonly Row[]) {
  const width = Math.max(name.length, ...rows.map((row) => String(row[name] ?? '').length));
  return { name, width, isNumeric: typeof rows[0]?.[name] === 'number' };
}

function cell(value: string | number | undefined, width: number): string {
  return typeof value === 'number' ? String(value).padStart(width) : String(value ?? '').padEnd(width);
}

/** The median. For an even number of values, it is the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('the median needs at least one value');
  return (lower + upper) / 2;
}

/**
 * Returns the percentile by nearest rank: the smallest value for which at least `share` of all values are equal or
 * smaller. Returns NaN if there are no values.
 *
 * @param sorted in rising order
 * @param share above 0, at most 1
 */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/**
 * The folder of all figures, logs and builds. Quick runs have their own, because tests make them, and other runs are
 * compared with earlier ones.
 */
export const folder = process.argv.includes('--quick') ? 'bench/out/quick' : 'bench/out';

/** Writes the figures to a file, for a comparison with a later run. */
export async function save(name: string, figures: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`\nwritten to ${file}`);
}
