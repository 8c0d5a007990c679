import { memo } from 'react';
import type { CampaignFault } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { isObject, isSame, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import {
  formOfPart,
  kindChoices,
  kindFieldOf,
  type PartFormContext,
  type PartSort,
} from '../../../shared/domain/campaign/forms/part-forms.ts';
import type { Names } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Icon } from '../parts/icon.tsx';
import { Select } from '../parts/select.tsx';
import styles from './builder.module.css';
import { type Builder, useBuilder } from './context.ts';
import { FieldInput } from './field-input.tsx';
import { NewEvent } from './new-event-button.tsx';
import { inside, isWithin, type Pointer, valueAt } from './pointer.ts';
import type { BuilderState } from './state.ts';
import { faultsAt, faultsWithin, faultText } from './step-status.ts';
import { shownFaults } from './use-field.ts';

interface Props {
  readonly sort: PartSort;
  readonly pointer: Pointer;
  /** The word for the part, as in "Remove condition". */
  readonly word: string;
}

/** One part of a campaign: its kind, its fields, who owns it, and what is wrong with it. */
export function PartEditor({ sort, pointer, word }: Props) {
  const { state, campaign, change, faults, lockOf, showsMissing } = useBuilder();
  const part = valueAt(state.document, pointer);
  const context = usePartContext(sort, pointer);
  if (!isObject(part)) return null;
  return (
    <PartFields
      {...{ sort, pointer, word, part, context, change, showsMissing }}
      organisationId={campaign.organisationId}
      faults={faultsWithin(faults, pointer)}
      texts={Object.fromEntries(Object.entries(state.texts).filter(([at]) => isWithin(at, pointer)))}
      lock={lockOf(pointer)}
    />
  );
}

interface FieldsProps extends Props {
  readonly part: Json;
  readonly context: PartFormContext;
  readonly organisationId: number;
  readonly change: Builder['change'];
  /** The faults of the part and of its fields. */
  readonly faults: readonly CampaignFault[];
  /** The texts of its fields that are no values yet. */
  readonly texts: BuilderState['texts'];
  readonly lock: string | undefined;
  readonly showsMissing: boolean;
}

/** Whether two parts are drawn alike. Faults and texts are new objects at every key, and mostly the same. */
function isDrawnAlike(one: FieldsProps, other: FieldsProps): boolean {
  const { faults, texts, context, ...others } = one;
  const names = Object.keys(others) as (keyof typeof others)[];
  return (
    names.every((name) => one[name] === other[name]) &&
    isSame({ faults, texts }, { faults: other.faults, texts: other.texts }) &&
    Object.entries(context).every(([name, value]) => other.context[name as keyof PartFormContext] === value)
  );
}

/** A key in one part draws no other part again. */
const PartFields = memo(function PartFields(props: FieldsProps) {
  const { sort, pointer, word, part, context, change, lock, faults, texts, showsMissing, organisationId } = props;
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
          <OwnerBadge ownerId={part.ownerId} organisationId={organisationId} names={context.names} />
          {sort !== 'trigger' && lock === undefined && (
            <Button
              size="small"
              look="quiet"
              onPress={() => change({ kind: 'remove', pointer })}
              aria-label={`Remove ${word.toLowerCase()}`}
            >
              <Icon name="close" />
            </Button>
          )}
        </span>
      </div>
      {form && form.fields.length > 0 && (
        <div className={styles.row}>
          {form.fields.map((field) => (
            <FieldInput
              key={field.name}
              {...{ part, field, texts, lock, change }}
              pointer={inside(pointer, field.name)}
              faults={shownFaults(faults, showsMissing)}
            />
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
}, isDrawnAlike);

/** Why something cannot be changed. */
export function Lock({ reason }: { readonly reason: string }) {
  return (
    <p className={styles.lock}>
      <Icon name="lock" /> {reason}
    </p>
  );
}

interface OwnerProps {
  readonly ownerId: unknown;
  readonly organisationId: number;
  readonly names: Names;
}

/** The organisation that owns a part; nothing for a part that is not saved yet. */
function OwnerBadge({ ownerId, organisationId, names }: OwnerProps) {
  if (typeof ownerId !== 'number') return null;
  const name = ownerId === organisationId ? 'Yours' : (names.organisation?.(ownerId) ?? 'Theirs');
  return <Chip tone={ownerId === organisationId ? 'neutral' : 'accent'}>{name}</Chip>;
}

/** The campaign and the flow around a part, for its form. */
export function usePartContext(sort: PartSort, pointer: Pointer): PartFormContext {
  const { campaign, type, state } = useBuilder();
  const flow = /^\/flows\/\d+/.exec(pointer)?.[0];
  const trigger = sort === 'trigger' || flow === undefined ? undefined : valueAt(state.document, `${flow}/trigger`);
  return { type, trigger, settings: campaign.settings, names: campaign.names };
}
