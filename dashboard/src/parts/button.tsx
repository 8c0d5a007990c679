import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Spinner } from './spinner.tsx';

export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Props extends Omit<ButtonProps, 'children' | 'className' | 'style'> {
  readonly children: ReactNode;
  /** `primary` at most once a screen. */
  readonly look?: ButtonLook;
  /** Shows that the act runs. The button keeps its width and its focus, and ignores presses. */
  readonly isBusy?: boolean;
  readonly size?: 'normal' | 'small';
}

/** A button. Its text is a verb and an object: "Approve campaign". */
export function Button({ children, look = 'secondary', isBusy = false, size = 'normal', ...rest }: Props) {
  const className = classes(styles.button, styles[look], size === 'small' && styles.small, isBusy && styles.busy);
  return (
    <AriaButton {...rest} className={className} isPending={isBusy}>
      <span className={classes(styles.content)}>{children}</span>
      {isBusy && <Spinner label="Working" />}
    </AriaButton>
  );
}
