import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import { classes } from './classes.ts';
import styles from './segmented.module.css';
import type { Choice } from './select.tsx';

interface Props<Value extends string> {
  readonly label: string;
  readonly choices: readonly (Choice<Value> & { readonly count?: number })[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Chooses one of a few values that are all seen at once. */
export function Segmented<Value extends string>({ label, choices, value, onChange }: Props<Value>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={classes(styles.group)}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = choices.find((choice) => keys.has(choice.value));
        if (chosen) onChange(chosen.value);
      }}
    >
      {choices.map((choice) => (
        <ToggleButton key={choice.value} id={choice.value} className={classes(styles.segment)}>
          {choice.label}
          {choice.count !== undefined && choice.count > 0 && (
            <span className={classes(styles.count)}>{choice.count}</span>
          )}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
