import { classes } from './classes.ts';
import styles from './page.module.css';
import { Skeleton } from './skeleton.tsx';

/** Stands where a whole screen will be. */
export function PageSkeleton() {
  return (
    <div className={classes(styles.page)}>
      <Skeleton lines={6} />
    </div>
  );
}
