import type { KindChoice } from '../../../../shared/domain/campaign/forms/part-forms.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import styles from './edit.module.css';

interface Props {
  /** `Add condition` */
  readonly label: string;
  readonly choices: readonly KindChoice[];
  readonly onAdd: (kind: string) => void;
}

/** The kinds that can be added here. A kind without effect here is shown with the reason. */
export function AddMenu({ label, choices, onAdd }: Props) {
  if (choices.length === 0) return null;
  return (
    <Menu
      label={label}
      className={styles.add}
      acts={choices.map(({ kind, label: text, help, reason }) => ({
        id: kind,
        label: text,
        help: reason ?? help,
        isDisabled: reason !== undefined,
        onAction: () => onAdd(kind),
      }))}
    >
      <Icon name="plus" />
      {label}
    </Menu>
  );
}
