import { classes } from './classes.ts';
import styles from './figure.module.css';

export interface FigureValue {
  readonly label: string;
  /** With its unit, unless the label says it. */
  readonly value: string;
}

/** A few numbers that a screen is about, side by side. */
export function Figures({ figures }: { readonly figures: readonly FigureValue[] }) {
  return (
    <dl className={classes(styles.figures)}>
      {figures.map(({ label, value }) => (
        <div key={label} className={classes(styles.figure)}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
