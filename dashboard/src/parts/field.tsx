import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Label as AriaLabel } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { classes } from './classes.ts';
import styles from './field.module.css';

/** The label above a control. Optional fields are marked, because most fields are required. */
export function Label({
  children,
  isRequired = true,
}: {
  readonly children: string;
  readonly isRequired?: boolean | undefined;
}) {
  return (
    <AriaLabel className={classes(styles.label)}>
      {children}
      {!isRequired && <span className={classes(styles.optional)}> optional</span>}
    </AriaLabel>
  );
}

/** The sentence below a control. The control's `aria-describedby` names it. */
export function Help({ children }: { readonly children: ReactNode }) {
  if (!children) return null;
  return (
    <Text slot="description" className={classes(styles.help)}>
      {children}
    </Text>
  );
}

/** What is wrong with a control. The control's `aria-describedby` names it. */
export function Faults({ children }: { readonly children: string | undefined }) {
  return <FieldError className={classes(styles.fault)}>{children}</FieldError>;
}
