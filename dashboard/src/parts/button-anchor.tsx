import type { ReactNode } from 'react';
import button from './button.module.css';
import { classes } from './classes.ts';

/** A primary link to a page that is not the application's. It opens in a window of its own. */
export function ButtonAnchor({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener opener" className={classes(button.button, button.primary)}>
      {children}
    </a>
  );
}
