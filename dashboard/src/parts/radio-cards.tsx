import { Label as AriaLabel } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { classes } from './classes.ts';
import field from './field.module.css';
import { Faults, Help } from './field.tsx';
import styles from './radio-cards.module.css';
import type { Choice } from './select.tsx';
import type { FieldProps } from './text-field.tsx';

interface Props<Value extends string> extends FieldProps {
  readonly choices: readonly Choice<Value>[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** Chooses one of a few values that need a sentence each. */
export function RadioCards<Value extends string>(props: Props<Value>) {
  const { label, help, fault, choices, value, onChange, isDisabled = false } = props;
  return (
    <RadioGroup
      className={classes(field.field)}
      value={value}
      onChange={(next) => {
        const chosen = choices.find((choice) => choice.value === next);
        if (chosen) onChange(chosen.value);
      }}
      isDisabled={isDisabled}
      isInvalid={fault !== undefined}
    >
      <AriaLabel className={classes(field.label)}>{label}</AriaLabel>
      <div className={classes(styles.cards)}>
        {choices.map((choice) => (
          <Radio key={choice.value} value={choice.value} className={classes(styles.card)}>
            <span className={classes(styles.label)}>{choice.label}</span>
            {choice.help && <span className={classes(styles.help)}>{choice.help}</span>}
          </Radio>
        ))}
      </div>
      <Help>{help}</Help>
      <Faults>{fault}</Faults>
    </RadioGroup>
  );
}
