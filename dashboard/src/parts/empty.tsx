import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './empty.module.css';

/** Stands where a list has nothing yet: one sentence, and the button that changes it. */
export function Empty({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className={classes(styles.empty)}>
      <p>{children}</p>
      {action}
    </div>
  );
}
