import { useMemo } from 'react';
import { kindChoices, newPart, type PartSort } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import styles from './builder.module.css';
import { useBuilder } from './context.ts';
import { PartEditor, usePartContext } from './part-editor.tsx';
import { inside, listAt, type Pointer } from './pointer.ts';
import { faultsAt, faultText } from './step-status.ts';

interface Props {
  readonly sort: PartSort;
  readonly list: Pointer;
  /** What the parts are, as a heading: "Gives". */
  readonly title: string;
  /** The word for one part: "Action". */
  readonly word: string;
}

/** All parts of one sort in a flow or group. Nothing is shown as long as there are none. */
export function PartList({ sort, list, title, word }: Props) {
  const { state, faults } = useBuilder();
  const parts = listAt(state.document, list);
  const own = faultsAt(faults, list);
  if (parts.length === 0 && own.length === 0) return null;
  return (
    <div className={styles.group} id={`at${list}`}>
      {title !== '' && <h4 className={styles.subject}>{title}</h4>}
      {own.map((found) => (
        <p key={found.code} className={styles.fault}>
          {faultText(found, title)}
        </p>
      ))}
      {parts.map((_, position) => {
        const pointer = inside(list, position);
        return <PartEditor key={state.keys[pointer]} sort={sort} pointer={pointer} word={word} />;
      })}
    </div>
  );
}

interface AddProps {
  readonly sort: PartSort;
  readonly list: Pointer;
  readonly label: string;
  /** Wraps the new part, such as a condition in a new group. */
  readonly wrap?: (part: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** A button that lists the kinds of parts, and adds one. */
export function AddPart({ sort, list, label, wrap = (part) => part }: AddProps) {
  const { change } = useBuilder();
  const { type, trigger, settings, names } = usePartContext(sort, list);
  const kinds = useMemo(
    () => kindChoices(sort, { type, trigger, settings, names }),
    [sort, type, trigger, settings, names],
  );
  if (kinds.length === 0) return null;
  return (
    <Menu
      label={label}
      className={styles.add ?? ''}
      acts={kinds.map(({ kind, label: name, help, reason }) => ({
        id: kind,
        label: name,
        help: reason ?? help,
        isDisabled: reason !== undefined,
        onAction: () => change({ kind: 'add', list, element: wrap(newPart(sort, kind)) }),
      }))}
    >
      <Icon name="plus" /> {label}
    </Menu>
  );
}
