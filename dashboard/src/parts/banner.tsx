import type { ReactNode } from 'react';
import styles from './banner.module.css';
import { classes } from './classes.ts';

interface Props {
  readonly tone?: 'neutral' | 'attention' | 'fault' | 'good';
  readonly title?: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** Whether screen readers say it as soon as it appears. */
  readonly isAlert?: boolean;
}

/** Says something about the whole page, or about the section that it begins. */
export function Banner({ tone = 'neutral', title, children, action, isAlert = tone === 'fault' }: Props) {
  return (
    <div className={classes(styles.banner, styles[tone])} {...(isAlert && { role: 'alert' })}>
      <div className={classes(styles.text)}>
        {title && <p className={classes(styles.title)}>{title}</p>}
        {children}
      </div>
      {action && <div className={classes(styles.action)}>{action}</div>}
    </div>
  );
}
