import { ProgressBar } from 'react-aria-components/ProgressBar';
import { classes } from './classes.ts';
import styles from './spinner.module.css';

/** Shows that something runs, for which no share is known. */
export function Spinner({ label }: { readonly label: string }) {
  return <ProgressBar isIndeterminate aria-label={label} className={classes(styles.spinner)} />;
}
