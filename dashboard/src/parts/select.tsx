import { Button } from 'react-aria-components/Button';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { classes } from './classes.ts';
import field from './field.module.css';
import { Faults, Help, Label } from './field.tsx';
import { Icon } from './icon.tsx';
import popup from './popup.module.css';
import type { FieldProps } from './text-field.tsx';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly help?: string;
}

interface Props<Value extends string> extends FieldProps {
  readonly choices: readonly Choice<Value>[];
  /** Null as long as nothing is chosen. */
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
  readonly placeholder?: string;
  /** In a row of filters: as wide as its text, with a label that only screen readers say. */
  readonly isCompact?: boolean;
}

/** Chooses one of a few values. With many values, use a field with search. */
export function Select<Value extends string>(props: Props<Value>) {
  const {
    label,
    help,
    fault,
    choices,
    value,
    onChange,
    isCompact = false,
    placeholder = 'Choose',
    isDisabled = false,
  } = props;
  return (
    <AriaSelect
      className={classes(field.field, isCompact && field.compact)}
      selectedKey={value}
      onSelectionChange={(key) => {
        const chosen = choices.find((choice) => choice.value === key);
        if (chosen) onChange(chosen.value);
      }}
      isDisabled={isDisabled}
      isInvalid={fault !== undefined}
      placeholder={placeholder}
      {...(isCompact && { 'aria-label': label })}
    >
      {!isCompact && <Label>{label}</Label>}
      <Button className={classes(field.control, field.trigger)}>
        <SelectValue>{({ selectedText }) => selectedText || placeholder}</SelectValue>
        <Icon name="down" />
      </Button>
      <Help>{help}</Help>
      <Faults>{fault}</Faults>
      <Popover className={classes(popup.popup)}>
        <ListBox className={classes(popup.list)} items={choices}>
          {(choice) => (
            <ListBoxItem id={choice.value} textValue={choice.label} className={classes(popup.item)}>
              <span className={classes(popup.text)}>
                {choice.label}
                {choice.help && <span className={classes(popup.help)}>{choice.help}</span>}
              </span>
              <span className={classes(popup.mark)}>
                <Icon name="check" />
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
