import { useState } from 'react';
import { Group } from 'react-aria-components/Group';
import { maximumCharacters, maximumCount } from '../../../shared/contracts/limits.ts';
import type { KnownTrigger } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { ApiError } from '../api/api-error.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { Checkbox } from '../parts/checkbox.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import { failureText } from '../text/failure-text.ts';
import styles from './builder.module.css';
import type { MakeEvent } from './context.ts';
import {
  type FieldType,
  fieldTypes,
  isNumeric,
  newField,
  readEvent,
  type TypedEvent,
  type TypedField,
} from './new-event.ts';
import { faultText } from './step-status.ts';

interface Props {
  /** What the events of the flow count as. */
  readonly event: KnownTrigger['event'];
  readonly make: MakeEvent;
  readonly onMade: (made: KnownTrigger) => void;
  readonly onClose: () => void;
}

/** Makes an event of the partnership, for which flows of all its campaigns may wait. */
export function EventDialog({ event, make, onMade, onClose }: Props) {
  const [typed, setTyped] = useState<TypedEvent>({ ...emptyEvent, event });
  const [isAsked, ask] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const read = readEvent(typed);
  const isTaken = failure instanceof ApiError && failure.identifier === 'already_exists';
  const faultOf = (place: string, label: string): string | undefined => {
    if (place === 'name' && isTaken) return 'Another event of the partnership has this name.';
    const message = isAsked && 'faults' in read ? read.faults.get(place) : undefined;
    return message && faultText({ message }, label);
  };
  const change = (changed: Partial<TypedEvent>) => {
    setFailure(null);
    setTyped({ ...typed, ...changed });
  };
  const send = async () => {
    ask(true);
    if (!('file' in read)) return;
    setBusy(true);
    try {
      onMade(await make(read.file));
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={event === 'REFERRAL' ? 'New event that reports a referral' : 'New event'}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" isBusy={isBusy} onPress={send}>
            Create event
          </Button>
        </>
      }
    >
      {failure !== null && !isTaken && <Banner tone="fault">{failureText(failure)}</Banner>}
      <TextField
        label="Name"
        help="As the systems send it, such as ride_completed. It cannot be changed later."
        fault={faultOf('name', 'The name')}
        value={typed.name}
        maxLength={maximumCharacters.text}
        isRequired
        autoFocus
        autoComplete="off"
        onChange={(name) => change({ name })}
      />
      <TextField
        label="Description"
        help="What happens when it is sent."
        fault={faultOf('description', 'The description')}
        value={typed.description}
        maxLength={maximumCharacters.description}
        onChange={(description) => change({ description })}
      />
      <EventFields typed={typed} change={change} faultOf={faultOf} />
    </Dialog>
  );
}

const emptyEvent: Omit<TypedEvent, 'event'> = {
  ...{ name: '', description: '', friendField: '', fields: [], allowsOtherFields: false },
};

interface FieldsProps {
  readonly typed: TypedEvent;
  readonly change: (changed: Partial<TypedEvent>) => void;
  readonly faultOf: (place: string, label: string) => string | undefined;
}

/** The data that is sent with the event. */
function EventFields({ typed, change, faultOf }: FieldsProps) {
  const { fields, event, friendField, allowsOtherFields } = typed;
  const texts = fields.filter(({ name, type }) => type === 'string' && name.trim() !== '');
  const edit = (key: number, changed: Partial<TypedField>) =>
    change({ fields: fields.map((field) => (field.key === key ? { ...field, ...changed } : field)) });
  const add = () => change({ fields: [...fields, newField(1 + Math.max(0, ...fields.map(({ key }) => key)))] });
  const ofAll = faultOf('fields', 'The event');
  return (
    <div className={styles.group}>
      <h3 className={styles.subject}>Fields</h3>
      <p className={styles.quiet}>
        What is sent with it. Conditions can compare fields; a required number can be rewarded by the dollar.
      </p>
      {fields.map((field, position) => (
        <FieldEditor
          key={field.key}
          field={field}
          faultOf={(place, label) => faultOf(`fields/${position}/${place}`, label)}
          onChange={(changed) => edit(field.key, changed)}
          onRemove={() => change({ fields: fields.filter(({ key }) => key !== field.key) })}
        />
      ))}
      {ofAll !== undefined && <p className={styles.fault}>{ofAll}</p>}
      <div className={styles.buttons}>
        <Button size="small" isDisabled={fields.length >= maximumCount.contextFields} onPress={add}>
          <Icon name="plus" /> Field
        </Button>
      </div>
      {event === 'REFERRAL' && (
        <Select
          label="Field that names the friend"
          help="A text: your own id of the friend. Each friend is rewarded once."
          fault={faultOf('friendField', 'It')}
          choices={[
            { value: '', label: 'None' },
            ...texts.map(({ name }) => ({ value: name.trim(), label: name.trim() })),
          ]}
          value={friendField}
          onChange={(chosen) => change({ friendField: chosen })}
        />
      )}
      <Checkbox
        isSelected={allowsOtherFields}
        help="Otherwise an event with other fields is refused."
        onChange={(allowed) => change({ allowsOtherFields: allowed })}
      >
        Allow other fields
      </Checkbox>
    </div>
  );
}

interface FieldProps {
  readonly field: TypedField;
  readonly faultOf: (place: string, label: string) => string | undefined;
  readonly onChange: (changed: Partial<TypedField>) => void;
  readonly onRemove: () => void;
}

const types = Object.entries(fieldTypes).map(([value, label]) => ({ value: value as FieldType, label }));

function FieldEditor({ field, faultOf, onChange, onRemove }: FieldProps) {
  const { name, type, isRequired, minimum, maximum } = field;
  const called = name.trim() === '' ? 'field' : `field ${name.trim()}`;
  const number = { width: 'short', inputMode: 'decimal', autoComplete: 'off' } as const;
  return (
    <Group className={styles.part ?? ''} aria-label={`Field ${name.trim()}`.trim()}>
      <div className={styles.row}>
        <TextField
          label="Name of the field"
          fault={faultOf('name', 'The name')}
          value={name}
          maxLength={maximumCharacters.text}
          isRequired
          autoFocus
          autoComplete="off"
          onChange={(text) => onChange({ name: text })}
        />
        <Select label="Type" choices={types} value={type} onChange={(chosen) => onChange({ type: chosen })} />
        {isNumeric(type) && (
          <TextField
            {...number}
            label="At least"
            fault={faultOf('minimum', 'The bound')}
            value={minimum}
            onChange={(text) => onChange({ minimum: text })}
          />
        )}
        {(isNumeric(type) || type === 'string') && (
          <TextField
            {...number}
            label={type === 'string' ? 'Characters at most' : 'At most'}
            fault={faultOf('maximum', 'The bound')}
            value={maximum}
            placeholder={type === 'string' ? String(maximumCharacters.text) : ''}
            onChange={(text) => onChange({ maximum: text })}
          />
        )}
      </div>
      <div className={styles.head}>
        <Checkbox isSelected={isRequired} onChange={(required) => onChange({ isRequired: required })}>
          Every event has it
        </Checkbox>
        <Button size="small" look="quiet" onPress={onRemove} aria-label={`Remove ${called}`}>
          <Icon name="close" />
        </Button>
      </div>
    </Group>
  );
}
