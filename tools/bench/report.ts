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

const folder = 'bench/out';

/** Writes the figures to a file, for a comparison with a later run. */
export async function save(name: string, figures: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`\nwritten to ${file}`);
}

/** Prints the broken promises. The command fails when there are any. */
export function conclude(broken: readonly string[]): void {
  if (broken.length === 0) {
    console.log('every promise is kept');
    return;
  }
  console.error(`\nbroken promises:\n${broken.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = 1;
}
