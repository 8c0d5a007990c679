import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { ComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Tag, TagGroup, TagList } from 'react-aria-components/TagGroup';
import { classes } from '../parts/classes.ts';
import field from '../parts/field.module.css';
import { Faults, Help, Label } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import popup from '../parts/popup.module.css';
import type { FieldProps } from '../parts/text-field.tsx';
import styles from './chips-field.module.css';

type Value = string | number;

interface Props extends FieldProps {
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly values: readonly Value[];
  /** Whether other texts may be added than the choices. */
  readonly isOpen: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (values: readonly Value[]) => void;
}

/** What a person may write for a choice: `united states (us)`, `united states`, or `us`. */
const namesOf = ({ value, label }: Props['choices'][number]): string[] =>
  [label, label.replace(/ \([^()]*\)$/, ''), String(value)].map((name) => name.toLowerCase());

/** Up to so many choices are shown before anything is typed. */
const shownAtOnce = 12;

/** Chooses several values. Each is a chip that can be removed; a field with search adds more. */
export function ChipsField({ label, help, fault, choices, values, isOpen, isDisabled, onChange }: Props) {
  const [text, setText] = useState('');
  const labelOf = (value: Value) => choices.find((choice) => choice.value === value)?.label ?? String(value);
  const left = choices.filter(({ value }) => !values.includes(value));
  const add = (value: Value) => {
    setText('');
    if (!values.includes(value)) onChange([...values, value]);
  };
  const addText = () => {
    const written = text.trim();
    const found = left.find((choice) => namesOf(choice).includes(written.toLowerCase()));
    if (found) add(found.value);
    else if (isOpen && written !== '') add(written);
  };
  return (
    <div className={classes(styles.chips)}>
      <ComboBox
        className={classes(field.field)}
        defaultItems={text === '' && left.length > shownAtOnce ? [] : left}
        inputValue={text}
        onInputChange={setText}
        selectedKey={null}
        onSelectionChange={(key) => {
          const found = left.find(({ value }) => String(value) === key);
          if (found) add(found.value);
        }}
        allowsCustomValue={isOpen}
        menuTrigger="focus"
        isDisabled={isDisabled}
        isInvalid={fault !== undefined}
      >
        <Label>{label}</Label>
        <span className={classes(field.control)}>
          <Input
            className={classes(field.input)}
            placeholder={isOpen ? 'Type and press Enter' : 'Search'}
            onBlur={addText}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || text.trim() === '') return;
              event.preventDefault();
              addText();
            }}
          />
        </span>
        <Help>{help}</Help>
        <Faults>{fault}</Faults>
        <Popover className={classes(popup.popup)}>
          <ListBox<(typeof left)[number]> className={classes(popup.list)}>
            {({ value, label: name }) => (
              <ListBoxItem id={String(value)} textValue={name} className={classes(popup.item)}>
                {name}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {values.length > 0 && (
        <TagGroup
          aria-label={label}
          {...(!isDisabled && { onRemove: (keys) => onChange(values.filter((value) => !keys.has(String(value)))) })}
        >
          <TagList className={classes(styles.list)}>
            {values.map((value) => (
              <Tag key={value} id={String(value)} textValue={labelOf(value)} className={classes(styles.chip)}>
                {labelOf(value)}
                {!isDisabled && (
                  <Button slot="remove" className={classes(styles.remove)}>
                    <Icon name="close" />
                  </Button>
                )}
              </Tag>
            ))}
          </TagList>
        </TagGroup>
      )}
    </div>
  );
}
