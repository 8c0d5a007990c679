import { isObject, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import {
  formOfPart,
  kindChoices,
  kindFieldOf,
  type PartFormContext,
  type PartSort,
} from '../../../shared/domain/campaign/forms/part-forms.ts';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Icon } from '../parts/icon.tsx';
import { Select } from '../parts/select.tsx';
import styles from './builder.module.css';
import { useBuilder } from './context.ts';
import { FieldInput } from './field-input.tsx';
import { NewEvent } from './new-event-button.tsx';
import { inside, type Pointer, valueAt } from './pointer.ts';
import { faultsAt, faultText } from './step-status.ts';

interface Props {
  readonly sort: PartSort;
  readonly pointer: Pointer;
  /** The word for the part, as in "Remove condition". */
  readonly word: string;
  /** Absent for the trigger of a flow, which cannot be removed. */
  readonly onRemove?: () => void;
}

/** One part of a campaign: its kind, its fields, who owns it, and what is wrong with it. */
export function PartEditor({ sort, pointer, word, onRemove }: Props) {
  const { state, change, faults, lockOf } = useBuilder();
  const part = valueAt(state.document, pointer);
  const context = usePartContext(sort, pointer);
  if (!isObject(part)) return null;
  const lock = lockOf(pointer);
  const form = formOfPart(sort, part, context);
  const kinds = kindChoices(sort, context);
  const kind = String(part[kindFieldOf(sort)] ?? '');
  const known = kinds.some((one) => one.kind === kind) ? [] : [{ value: kind, label: form?.label ?? kind }];
  const own = [...faultsAt(faults, pointer), ...faultsAt(faults, inside(pointer, kindFieldOf(sort)))];
  return (
    <div className={styles.part} id={`at${pointer}`}>
      <div className={styles.head}>
        <Select
          label={word}
          isCompact
          choices={[
            ...known,
            ...kinds.map(({ kind: value, label, help, reason }) => ({ value, label, help: reason ?? help })),
          ]}
          value={kind}
          isDisabled={lock !== undefined}
          onChange={(name) => name !== kind && change({ kind: 'change_kind', pointer, sort, name })}
        />
        <span className={styles.buttons}>
          <OwnerBadge part={part} />
          {onRemove && lock === undefined && (
            <Button size="small" look="quiet" onPress={onRemove} aria-label={`Remove ${word.toLowerCase()}`}>
              <Icon name="close" />
            </Button>
          )}
        </span>
      </div>
      {form && form.fields.length > 0 && (
        <div className={styles.row}>
          {form.fields.map((field) => (
            <FieldInput key={field.name} part={pointer} field={field} />
          ))}
        </div>
      )}
      {sort === 'trigger' && lock === undefined && <NewEvent kind={kind} pointer={pointer} />}
      {own.map((found) => (
        <p key={found.code} className={styles.fault}>
          {faultText(found, form?.label ?? word)}
        </p>
      ))}
      {lock !== undefined && <Lock reason={lock} />}
    </div>
  );
}

/** Why something cannot be changed. */
export function Lock({ reason }: { readonly reason: string }) {
  return (
    <p className={styles.lock}>
      <Icon name="lock" /> {reason}
    </p>
  );
}

/** The organisation that owns a part; nothing for a part that is not saved yet. */
function OwnerBadge({ part }: { readonly part: Json }) {
  const { campaign } = useBuilder();
  const { ownerId } = part;
  if (typeof ownerId !== 'number') return null;
  const name = ownerId === campaign.organisationId ? 'Yours' : (campaign.names.organisation?.(ownerId) ?? 'Theirs');
  return <Chip tone={ownerId === campaign.organisationId ? 'neutral' : 'accent'}>{name}</Chip>;
}

/** The campaign and the flow around a part, for its form. */
export function usePartContext(sort: PartSort, pointer: Pointer): PartFormContext {
  const { campaign, type, state } = useBuilder();
  const flow = /^\/flows\/\d+/.exec(pointer)?.[0];
  const trigger = sort === 'trigger' || flow === undefined ? undefined : valueAt(state.document, `${flow}/trigger`);
  return { type, trigger, settings: campaign.settings, names: campaign.names };
}
