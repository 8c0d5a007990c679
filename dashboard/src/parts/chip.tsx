import type { ReactNode } from 'react';
import type { Tone } from '../text/tone.ts';
import styles from './chip.module.css';
import { classes } from './classes.ts';

interface Props {
  readonly tone?: Tone;
  readonly children: ReactNode;
  /** A ring instead of a dot: not in effect yet, or not any more. */
  readonly isHollow?: boolean;
}

/** A state as dot and word: never by colour alone. */
export function Chip({ tone = 'neutral', isHollow = false, children }: Props) {
  return (
    <span className={classes(styles.chip, styles[tone])}>
      <span className={classes(styles.dot, isHollow && styles.hollow)} aria-hidden="true" />
      {children}
    </span>
  );
}
