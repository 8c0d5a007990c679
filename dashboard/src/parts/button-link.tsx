import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Link as AriaLink, type LinkProps } from 'react-aria-components/Link';
import button from './button.module.css';
import type { ButtonLook } from './button.tsx';
import { classes } from './classes.ts';

interface Props extends Omit<LinkProps, 'children' | 'className' | 'style'> {
  readonly children: ReactNode;
  readonly look?: ButtonLook;
}

function LinkLikeButton({ children, look = 'secondary', ...rest }: Props) {
  return (
    <AriaLink {...rest} className={classes(button.button, button[look])}>
      <span className={classes(button.content)}>{children}</span>
    </AriaLink>
  );
}

/** A link to another screen that looks like a button. */
export const ButtonLink = createLink(LinkLikeButton);
