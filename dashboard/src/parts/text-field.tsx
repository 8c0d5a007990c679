import type { ReactNode } from 'react';
import { Input } from 'react-aria-components/Input';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField, type TextFieldProps } from 'react-aria-components/TextField';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { Faults, Help, Label } from './field.tsx';

export interface FieldProps {
  readonly label: string;
  /** One sentence below the field. */
  readonly help?: ReactNode;
  /** What is wrong and how to mend it. The field is marked as long as it is given. */
  readonly fault?: string | undefined;
}

interface Props
  extends FieldProps,
    Pick<
      TextFieldProps,
      | 'value'
      | 'onChange'
      | 'onBlur'
      | 'type'
      | 'autoFocus'
      | 'isRequired'
      | 'isDisabled'
      | 'isReadOnly'
      | 'maxLength'
      | 'autoComplete'
      | 'inputMode'
      | 'name'
      | 'id'
    > {
  /** Shown before or after what is typed, such as a currency or a unit. */
  readonly before?: string;
  readonly after?: string;
  /** For text of several lines. */
  readonly rows?: number;
  readonly placeholder?: string;
  /** How wide the control is: as wide as the form, or just wide enough for a number. */
  readonly width?: 'full' | 'short';
}

/** A field for text: label above, help below, and the fault below in red. */
export function TextField(props: Props) {
  const { label, help, fault, before, after, rows, placeholder = '', width = 'full', ...rest } = props;
  return (
    <AriaTextField
      {...rest}
      isInvalid={fault !== undefined}
      className={classes(styles.field, width === 'short' && styles.short)}
    >
      <Label isRequired={rest.isRequired}>{label}</Label>
      {rows === undefined ? (
        <span className={classes(styles.control)}>
          {before !== undefined && <span className={classes(styles.affix)}>{before}</span>}
          <Input className={classes(styles.input)} placeholder={placeholder} />
          {after !== undefined && <span className={classes(styles.affix)}>{after}</span>}
        </span>
      ) : (
        <TextArea className={classes(styles.control, styles.area)} rows={rows} placeholder={placeholder} />
      )}
      <Help>{help}</Help>
      <Faults>{fault}</Faults>
    </AriaTextField>
  );
}
