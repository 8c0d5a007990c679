import type { Report } from './cli.ts';
import { localMoment } from './moments.ts';
import { type Cell, facts, table } from './text.ts';

/** One value of a row. The name of the column is the name of the value in JSON. */
interface Column<Row, Names, Value = never> {
  /** The heading for people. Without a heading, only scripts read the column. */
  readonly head?: string;
  /** The value for scripts, unless it is the row’s field of this name. Null: only people read the column. */
  readonly json?: ((row: Row) => unknown) | null;
  /** Formats the row’s field for people. */
  readonly as?: (value: Value) => Cell;
  /** What people read, if it is not the value alone. Facts leave out a column that is undefined. */
  readonly cell?: (row: Row, names: Names) => Cell | undefined;
}

/** A column whose name is no field of the row has to say where its value comes from. */
type Columns<Row, Names, Name extends string> = {
  readonly [One in Name]: One extends keyof Row
    ? Column<Row, Names, NonNullable<Row[One]>>
    : Column<Row, Names> & { readonly json: unknown };
};

/** The name of a list in JSON, and what people read when it is empty. */
interface List {
  readonly name: string;
  readonly none: string;
}

/**
 * A kind of row, for scripts and for people. As a function it returns the JSON of a row.
 *
 * @template Names what people read in place of ids, and the time zone of their times
 */
export interface View<Row, Names = void> {
  (row: Row): Record<string, unknown>;
  /** The names in JSON. */
  readonly names: readonly string[];
  /** The values of one row, each on a line. */
  readonly facts: (row: Row, names: Names) => string;
  /** A table with a line for each row; without rows, `none`. */
  readonly table: (rows: readonly Row[], names: Names) => string;
  /** The report of a list. */
  readonly list: (rows: readonly Row[], list: List, names: Names) => Report;
}

/**
 * Declares the columns of a kind of row once, for JSON and for text: `viewOf<Order>()({ … })`.
 *
 * @param toJson makes the JSON of a row, if it is not made of the columns: for views that other callers share
 * @param inTables the columns that tables show, if not every column with a heading
 */
export const viewOf =
  <Row extends object, Names = void>(toJson?: (row: Row) => Record<string, unknown>) =>
  <Name extends string>(declared: Columns<Row, Names, Name>, inTables?: readonly NoInfer<Name>[]): View<Row, Names> => {
    const columns = Object.entries<Column<Row, Names>>(declared);
    const scripts = columns.filter(([, { json }]) => json !== null);
    const people = columns.filter(([, { head }]) => head !== undefined);
    const inTable = inTables ? inTables.map((name) => [name, declared[name]] as const) : people;
    const json =
      toJson ?? ((row: Row) => Object.fromEntries(scripts.map((column) => [column[0], valueIn(row, column)])));
    return Object.assign((row: Row) => json(row), {
      names: scripts.map(([name]) => name),
      facts: (row: Row, names: Names) =>
        facts(Object.fromEntries(people.map((column) => [headOf(column), cellIn(row, column, names)]))),
      table: (rows: readonly Row[], names: Names) => tableOf(inTable, rows, names),
      list: (rows: readonly Row[], { name, none }: List, names: Names) => ({
        json: { [name]: rows.map(json) },
        text: rows.length === 0 ? none : tableOf(inTable, rows, names),
      }),
    });
  };

type Named<Row, Names> = readonly [name: string, column: Column<Row, Names>];

const headOf = <Row, Names>([name, { head }]: Named<Row, Names>) => head ?? name;

function tableOf<Row extends object, Names>(
  columns: readonly Named<Row, Names>[],
  rows: readonly Row[],
  names: Names,
): string {
  if (rows.length === 0) return 'none';
  const cells = rows.map((row) => columns.map((column) => cellIn(row, column, names) ?? null));
  return table(columns.map(headOf), cells);
}

function valueIn<Row extends object, Names>(row: Row, [name, { json }]: Named<Row, Names>): unknown {
  return json ? json(row) : ((row as Readonly<Record<string, unknown>>)[name] ?? null);
}

function cellIn<Row extends object, Names>(row: Row, column: Named<Row, Names>, names: Names): Cell | undefined {
  const [, { cell, as }] = column;
  if (cell) return cell(row, names);
  const value = valueIn(row, column);
  // The declaration checks that the value has the type that `as` takes.
  return as && value !== null ? as(value as never) : (value as Cell);
}

/** A column with a time. People read it in the time zone that is among the names. */
export const timeColumn = <Row>(head: string, timeOf: (row: Row) => string | null) => ({
  head,
  json: timeOf,
  cell: (row: Row, { timeZone }: { readonly timeZone: string }) => {
    const at = timeOf(row);
    return at === null ? null : localMoment(at, timeZone);
  },
});
