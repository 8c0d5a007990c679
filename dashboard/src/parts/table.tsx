import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumeric?: boolean;
  /** For short values that are read as one, such as dates. */
  readonly isOneLine?: boolean;
  /** Only screen readers say the label, as for a column of menus. */
  readonly hasHiddenLabel?: boolean;
}

interface Props<Row> {
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Columns of one width, so that tables below each other align. */
  readonly isEven?: boolean;
}

/** Rows of things of one kind. On narrow screens each row becomes a block. */
export function Table<Row>({ label, columns, rows, keyOf, isEven }: Props<Row>) {
  return (
    <table className={classes(styles.table, isEven && styles.even)} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.id}
              scope="col"
              className={classes(column.isNumeric && styles.number, column.hasHiddenLabel && styles.acts)}
            >
              <span className={classes(column.hasHiddenLabel && styles.hidden)}>{column.label}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td
                key={column.id}
                data-label={column.label}
                className={classes(
                  column.isNumeric && styles.number,
                  column.isOneLine && styles.oneLine,
                  column.hasHiddenLabel && styles.acts,
                )}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
