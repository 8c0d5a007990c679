import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './facts.module.css';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** Names and values, in a row where there is room. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes(styles.facts)}>
      {facts.map(({ label, value }) => (
        <div key={label} className={classes(styles.fact)}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
