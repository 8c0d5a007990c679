import { type ReactNode, useEffect } from 'react';
import { classes } from './classes.ts';
import styles from './page.module.css';

interface Props {
  readonly title: string;
  /** Beside the title: a state, a place above this one. */
  readonly beside?: ReactNode;
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** `narrow` for forms and texts. */
  readonly width?: 'full' | 'narrow';
}

/** The frame of a screen: its title, its acts, and its content. The title is the document's title too. */
export function Page({ title, beside, above, actions, children, width = 'full' }: Props) {
  useEffect(() => {
    document.title = `${title} · Rewards`;
  }, [title]);
  return (
    <div className={classes(styles.page, width === 'narrow' && styles.narrow)}>
      <header className={classes(styles.header)}>
        <div className={classes(styles.titles)}>
          {above && <div className={classes(styles.above)}>{above}</div>}
          <div className={classes(styles.title)}>
            <h1>{title}</h1>
            {beside}
          </div>
        </div>
        {actions && <div className={classes(styles.actions)}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a screen with a title of its own. */
export function Section({ title, beside, children }: SectionProps) {
  return (
    <section className={classes(styles.section)} aria-label={title}>
      <div className={classes(styles.sectionHead)}>
        <h2>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  );
}
