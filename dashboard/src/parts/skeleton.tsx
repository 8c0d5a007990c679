import { useEffect, useState } from 'react';
import { classes } from './classes.ts';
import styles from './skeleton.module.css';

/** How long a page may be empty before it shows that it loads: short waits do not flicker. */
const patienceMs = 300;

/** Grey lines where content will be. They appear only after {@link patienceMs}. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <div className={classes(styles.space)} aria-busy />;
  return (
    <div className={classes(styles.skeleton)} role="status" aria-label="Loading" aria-busy>
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((key) => (
        <div key={key} className={classes(styles.line)} />
      ))}
    </div>
  );
}
