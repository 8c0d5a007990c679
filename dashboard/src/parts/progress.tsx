import { useId } from 'react';
import { classes } from './classes.ts';
import styles from './progress.module.css';

interface Props {
  readonly label: string;
  readonly value: number;
  readonly target: number;
  /** The progress in words, such as `412,300 of 1,000,000`. */
  readonly text: string;
  /** In a cell of a table: a short bar, and only screen readers say the label. */
  readonly isCompact?: boolean;
}

/** How much of a target is reached, as a bar and in words. */
export function Progress({ label, value, target, text, isCompact = false }: Props) {
  const id = useId();
  return (
    <div className={classes(styles.progress, isCompact && styles.compact)}>
      <div className={classes(styles.head)}>
        <span id={id} className={classes(isCompact && styles.hidden)}>
          {label}
        </span>
        <span className={classes(styles.text)}>{text}</span>
      </div>
      <progress aria-labelledby={id} className={classes(styles.bar)} value={Math.min(value, target)} max={target} />
    </div>
  );
}
