import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import button from './button.module.css';
import type { ButtonLook } from './button.tsx';
import { classes } from './classes.ts';

interface Props extends Omit<ComponentProps<'a'>, 'children' | 'className' | 'style'> {
  readonly children: ReactNode;
  readonly look?: ButtonLook;
}

/** React Aria's link would let the browser load a new page when it is followed by Enter. */
function LinkLikeButton({ children, look = 'secondary', ...rest }: Props) {
  return (
    <a {...rest} className={classes(button.button, button[look])}>
      <span className={classes(button.content)}>{children}</span>
    </a>
  );
}

/** A link to another screen that looks like a button. */
export const ButtonLink = createLink(LinkLikeButton);
