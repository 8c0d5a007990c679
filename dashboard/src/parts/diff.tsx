import { classes } from './classes.ts';
import styles from './diff.module.css';

interface Change {
  readonly pointer: string;
  /** Where the value is, in words. */
  readonly label: string;
  /** Null for what was not there before. */
  readonly old: string | null;
  /** Null for what is removed. */
  readonly new: string | null;
}

/** What differs between two versions, in words: the old value struck, the new one marked. */
export function Diff({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ul className={classes(styles.diff)}>
      {changes.map((change) => (
        <li key={`${change.pointer} ${change.old}`} className={classes(styles.change)}>
          <span className={classes(styles.label)}>{change.label}</span>
          <span className={classes(styles.values)}>
            {change.old !== null && <del className={classes(styles.old)}>{change.old}</del>}
            {change.new !== null && <ins className={classes(styles.new)}>{change.new}</ins>}
          </span>
        </li>
      ))}
    </ul>
  );
}
