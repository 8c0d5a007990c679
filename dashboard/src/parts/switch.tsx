import type { ReactNode } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import { classes } from './classes.ts';
import styles from './switch.module.css';

interface Props {
  readonly children: ReactNode;
  readonly help: string;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  readonly isBusy?: boolean;
  /** Whether the last change has been saved. */
  readonly isSaved?: boolean;
}

/** A yes or no that takes effect at once, and says when it is saved. */
export function Switch({
  children,
  help,
  isSelected,
  onChange,
  isDisabled = false,
  isBusy = false,
  isSaved = false,
}: Props) {
  return (
    <div className={classes(styles.field)}>
      <AriaSwitch
        className={classes(styles.switch)}
        isSelected={isSelected}
        onChange={onChange}
        isDisabled={isDisabled}
      >
        <span className={classes(styles.track)} />
        <span className={classes(styles.text)}>
          <span className={classes(styles.label)}>{children}</span>
          <span className={classes(styles.help)}>{help}</span>
        </span>
      </AriaSwitch>
      <span className={classes(styles.saved)} role="status">
        {isBusy ? 'Saving' : isSaved && 'Saved'}
      </span>
    </div>
  );
}
