import { isObject } from '../../../../shared/domain/campaign/document/tree.ts';
import {
  formOfPart,
  kindChoices,
  kindFieldOf,
  type PartFormContext,
  type PartSort,
} from '../../../../shared/domain/campaign/forms/part-forms.ts';
import { useBuilder } from '../../builder/context.ts';
import { FieldInput } from '../../builder/field-input.tsx';
import { valueAt } from '../../builder/pointer.ts';
import { faultsAt, faultText } from '../../builder/step-status.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Select } from '../../parts/select.tsx';
import styles from './edit.module.css';

interface Props {
  readonly sort: PartSort;
  readonly pointer: string;
  readonly context: PartFormContext;
  /** The name of the part in words, such as "Condition 2". */
  readonly name: string;
  /** Whether the part can be taken away. */
  readonly isRemovable?: boolean;
}

/** A part of a flow as a form. A part of the other side is shown, locked, with the reason. */
export function PartEditor({ sort, pointer, context, name, isRemovable = true }: Props) {
  const { state, change, faults, lockOf } = useBuilder();
  const part = valueAt(state.document, pointer);
  const form = isObject(part) ? formOfPart(sort, part, context) : undefined;
  const lock = lockOf(pointer);
  const choices = kindChoices(sort, context).filter(({ kind, reason }) => reason === undefined || kind === form?.kind);
  return (
    <fieldset className={styles.part}>
      <legend className={styles.hidden}>{name}</legend>
      <div className={styles.partHead}>
        <Select
          label={`${name}: kind`}
          isCompact
          isDisabled={lock !== undefined || (choices.length < 2 && form !== undefined)}
          value={form?.kind ?? null}
          choices={choices.map(({ kind, label, help }) => ({ value: kind, label, help }))}
          onChange={(kind) => change({ kind: 'change_kind', pointer, sort, name: kind })}
        />
        {lock !== undefined && (
          <span className={styles.lock}>
            <Icon name="lock" />
            {lock}
          </span>
        )}
        {isRemovable && lock === undefined && (
          <Button
            look="quiet"
            size="small"
            aria-label={`Remove ${name.toLowerCase()}`}
            onPress={() => change({ kind: 'remove', pointer })}
          >
            Remove
          </Button>
        )}
      </div>
      {form && form.fields.length > 0 && (
        <div className={styles.fields}>
          {form.fields.map((field) => (
            <FieldInput key={field.name} part={pointer} field={field} />
          ))}
        </div>
      )}
      {[...faultsAt(faults, pointer), ...faultsAt(faults, `${pointer}/${kindFieldOf(sort)}`)].map((fault) => (
        <p key={fault.code} className={styles.fault}>
          {faultText(fault, name)}
        </p>
      ))}
    </fieldset>
  );
}
