import type { ReactNode } from 'react';
import styles from './card.module.css';
import { classes } from './classes.ts';

/** Things that belong together, with a line around them. */
export function Card({ children, isFlush = false }: { readonly children: ReactNode; readonly isFlush?: boolean }) {
  return <div className={classes(styles.card, isFlush && styles.flush)}>{children}</div>;
}
