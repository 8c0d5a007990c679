import { useState } from 'react';
import { ComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { useContext } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { classes } from './classes.ts';
import { Faults, Help, Label } from './field.tsx';
import field from './field.module.css';
import { Icon } from './icon.tsx';
import popup from './popup.module.css';
import type { Choice } from './select.tsx';
import styles from './combo-chips.module.css';
import type { FieldProps } from './text-field.tsx';

interface Props extends FieldProps {
  readonly choices: readonly Choice<string>[];
  /** Whether values that are no choice may be typed. */
  readonly isOpen: boolean;
  readonly values: readonly string[];
  readonly onChange: (values: string[]) => void;
  readonly isDisabled?: boolean;
}

/** Several values as chips. One is added by typing or choosing, and taken away by its button or by Backspace. */
export function ComboChips({ label, help, fault, choices, isOpen, values, onChange, isDisabled = false }: Props) {
  const [text, setText] = useState('');
  const left = choices.filter(({ value }) => !values.includes(value));
  const add = (value: string) => {
    setText('');
    if (value !== '' && !values.includes(value)) onChange([...values, value]);
  };
  const labelOf = (value: string) => choices.find((choice) => choice.value === value)?.label ?? value;
  return (
    <ComboBox
      className={classes(field.field)}
      items={left}
      inputValue={text}
      onInputChange={setText}
      selectedKey={null}
      onSelectionChange={(key) => key !== null && add(String(key))}
      allowsCustomValue={isOpen}
      isDisabled={isDisabled}
      isInvalid={fault !== undefined}
      menuTrigger="focus"
    >
      <Label>{label}</Label>
      <span className={classes(field.control, styles.chips)}>
        {values.map((value) => (
          <span key={value} className={classes(styles.chip)}>
            {labelOf(value)}
            {!isDisabled && (
              <AriaButton
                slot={null}
                className={classes(styles.remove)}
                aria-label={`Remove ${labelOf(value)}`}
                onPress={() => onChange(values.filter((one) => one !== value))}
              >
                <Icon name="close" />
              </AriaButton>
            )}
          </span>
        ))}
        <ChipInput isOpen={isOpen} text={text} onAdd={add} onBackspace={() => onChange(values.slice(0, -1))} />
      </span>
      <Help>{help}</Help>
      <Faults>{fault}</Faults>
      <Popover className={classes(popup.popup)}>
        <ListBox className={classes(popup.list)} items={left}>
          {({ value, label: choice }) => (
            <ListBoxItem id={value} textValue={choice} className={classes(popup.item)}>
              {choice}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

interface InputProps {
  readonly isOpen: boolean;
  readonly text: string;
  readonly onAdd: (value: string) => void;
  readonly onBackspace: () => void;
}

function ChipInput({ isOpen, text, onAdd, onBackspace }: InputProps) {
  const state = useContext(ComboBoxStateContext);
  const isChoosing = state?.selectionManager.focusedKey != null;
  return (
    <Input
      className={classes(field.input, styles.input)}
      placeholder="Add"
      onBlur={() => isOpen && onAdd(text.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Backspace' && text === '') onBackspace();
        if (event.key === 'Enter' && isOpen && !isChoosing && text.trim() !== '') {
          event.preventDefault();
          onAdd(text.trim());
        }
      }}
    />
  );
}
