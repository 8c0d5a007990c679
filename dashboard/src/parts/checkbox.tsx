import type { ReactNode } from 'react';
import { CheckboxButton, CheckboxField } from 'react-aria-components/Checkbox';
import { Text } from 'react-aria-components/Text';
import styles from './checkbox.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';

interface Props {
  readonly children: ReactNode;
  readonly help?: string;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A yes or no that takes effect when its form is saved. */
export function Checkbox({ children, help, isSelected, onChange, isDisabled = false }: Props) {
  return (
    <CheckboxField
      className={classes(styles.field)}
      isSelected={isSelected}
      onChange={onChange}
      isDisabled={isDisabled}
    >
      <CheckboxButton className={classes(styles.checkbox)}>
        <span className={classes(styles.box)}>
          <Icon name="check" />
        </span>
        <span>{children}</span>
      </CheckboxButton>
      {help && (
        <Text slot="description" className={classes(styles.help)}>
          {help}
        </Text>
      )}
    </CheckboxField>
  );
}
