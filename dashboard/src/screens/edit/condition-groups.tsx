import { isObject } from '../../../../shared/domain/campaign/document/tree.ts';
import { kindChoices, newPart, type PartFormContext } from '../../../../shared/domain/campaign/forms/part-forms.ts';
import { useBuilder } from '../../builder/context.ts';
import { listAt } from '../../builder/pointer.ts';
import { Segmented } from '../../parts/segmented.tsx';
import { AddMenu } from './add-menu.tsx';
import styles from './edit.module.css';
import { PartEditor } from './part-editor.tsx';

interface Props {
  /** JSON Pointer of the flow. */
  readonly flow: string;
  readonly context: PartFormContext;
}

/** The groups of conditions. All groups have to hold; within a group, any or all of its conditions. */
export function ConditionGroups({ flow, context }: Props) {
  const { state, change } = useBuilder();
  const list = `${flow}/conditionGroups`;
  const groups = listAt(state.document, list);
  return (
    <div className={styles.list}>
      <h4 className={styles.listTitle}>Only if</h4>
      <div className={styles.parts}>
        {groups.map((group, position) => (
          <Group
            key={state.keys[`${list}/${position}`] ?? position}
            pointer={`${list}/${position}`}
            group={group}
            context={context}
          />
        ))}
        <AddMenu
          label={groups.length === 0 ? 'Add condition' : 'And also if'}
          choices={kindChoices('conditions', context)}
          onAdd={(kind) =>
            change({ kind: 'add', list, element: { logic: 'ANY', conditions: [newPart('conditions', kind)] } })
          }
        />
      </div>
    </div>
  );
}

function Group({
  pointer,
  group,
  context,
}: {
  readonly pointer: string;
  readonly group: unknown;
  readonly context: PartFormContext;
}) {
  const { state, change, lockOf } = useBuilder();
  const list = `${pointer}/conditions`;
  const conditions = listAt(state.document, list);
  const isAll = isObject(group) && group.logic === 'ALL';
  return (
    <div className={styles.group}>
      {conditions.length > 1 && lockOf(`${pointer}/logic`) === undefined && (
        <Segmented
          label="How many of these have to hold"
          value={isAll ? 'ALL' : 'ANY'}
          onChange={(value) => change({ kind: 'set', pointer: `${pointer}/logic`, value })}
          choices={[
            { value: 'ANY', label: 'Any of these' },
            { value: 'ALL', label: 'All of these' },
          ]}
        />
      )}
      {conditions.map((_, position) => (
        <PartEditor
          key={state.keys[`${list}/${position}`] ?? position}
          sort="conditions"
          pointer={`${list}/${position}`}
          context={context}
          name={conditions.length > 1 ? `Condition ${position + 1}` : 'Condition'}
        />
      ))}
      <AddMenu
        label={isAll ? 'And' : 'Or'}
        choices={kindChoices('conditions', context)}
        onAdd={(kind) => change({ kind: 'add', list, element: newPart('conditions', kind) })}
      />
    </div>
  );
}
