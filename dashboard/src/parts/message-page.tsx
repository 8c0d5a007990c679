import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './message-page.module.css';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** What the person can do next. */
  readonly actions?: ReactNode;
}

/** A page that says one thing: signed out, not found, failed. */
export function MessagePage({ title, children, actions }: Props) {
  return (
    <main className={classes(styles.page)} id="content" tabIndex={-1}>
      <img src="/icon.svg" alt="" width={40} height={40} />
      <h1>{title}</h1>
      <div className={classes(styles.text)}>{children}</div>
      {actions && <div className={classes(styles.actions)}>{actions}</div>}
    </main>
  );
}
