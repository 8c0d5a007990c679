import { Skeleton } from './skeleton.tsx';
import styles from './page.module.css';
import { classes } from './classes.ts';

/** Stands where a whole screen will be. */
export function PageSkeleton() {
  return (
    <div className={classes(styles.page)}>
      <Skeleton lines={6} />
    </div>
  );
}
