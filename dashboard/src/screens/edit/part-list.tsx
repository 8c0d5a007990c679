import {
  kindChoices,
  newPart,
  type PartFormContext,
  type PartSort,
} from '../../../../shared/domain/campaign/forms/part-forms.ts';
import { useBuilder } from '../../builder/context.ts';
import { listAt } from '../../builder/pointer.ts';
import { faultsAt, faultText } from '../../builder/step-status.ts';
import { AddMenu } from './add-menu.tsx';
import styles from './edit.module.css';
import { PartEditor } from './part-editor.tsx';

interface Props {
  readonly sort: PartSort;
  /** JSON Pointer of the list. */
  readonly list: string;
  readonly context: PartFormContext;
  /** What stands before the parts: "Gives", "At most". */
  readonly title: string;
  /** One part in words: "limit". */
  readonly one: string;
}

/** The parts of one sort, and the way to add another. */
export function PartList({ sort, list, context, title, one }: Props) {
  const { state, change, faults } = useBuilder();
  const parts = listAt(state.document, list);
  const name = one.charAt(0).toUpperCase() + one.slice(1);
  return (
    <div className={styles.list}>
      <h4 className={styles.listTitle}>{title}</h4>
      <div className={styles.parts}>
        {parts.map((_, position) => (
          <PartEditor
            key={state.keys[`${list}/${position}`] ?? position}
            sort={sort}
            pointer={`${list}/${position}`}
            context={context}
            name={parts.length > 1 ? `${name} ${position + 1}` : name}
          />
        ))}
        {faultsAt(faults, list).map((fault) => (
          <p key={fault.code} className={styles.fault}>
            {faultText(fault, title)}
          </p>
        ))}
        <AddMenu
          label={`Add ${one}`}
          choices={kindChoices(sort, context)}
          onAdd={(kind) => change({ kind: 'add', list, element: newPart(sort, kind) })}
        />
      </div>
    </div>
  );
}
