import { useState } from 'react';
import type { QuantityName } from '../../../shared/domain/campaign/document/kinds/form.ts';
import type { FormField } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { digitsOf, quantities } from '../../../shared/domain/campaign/forms/quantities.ts';
import { Checkbox } from '../parts/checkbox.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import { ChipsField } from './chips-field.tsx';
import { useBuilder } from './context.ts';
import { inside, type Pointer } from './pointer.ts';
import { type BoundField, useField } from './use-field.ts';

interface Props {
  /** The part that has the field. */
  readonly part: Pointer;
  readonly field: FormField;
}

/** One field of a part, drawn from the form of its kind. */
export function FieldInput({ part, field }: Props) {
  return (
    <div id={`at${inside(part, field.name)}`}>
      <Control part={part} field={field} />
    </div>
  );
}

function Control({ part, field }: Props) {
  const pointer = inside(part, field.name);
  const bound = useField(pointer, field.label, field.input);
  switch (field.input.kind) {
    case 'choice':
      return <ChoiceInput field={field} bound={bound} choices={field.input.choices} />;
    case 'chips':
      return (
        <ChipsField
          label={field.label}
          help={field.help}
          fault={bound.fault}
          choices={field.input.choices}
          values={listOf(bound.value)}
          isOpen={field.input.isOpen}
          isDisabled={bound.lock !== undefined}
          onChange={(values) => bound.set(values.length === 0 ? undefined : values)}
        />
      );
    case 'quantity':
      return <NumberInput pointer={pointer} field={field} bound={bound} quantity={field.input.quantity} />;
    case 'number':
      return <NumberInput pointer={pointer} field={field} bound={bound} quantity={null} />;
    case 'switch':
      return (
        <Checkbox isSelected={bound.value === true} isDisabled={bound.lock !== undefined} onChange={bound.set}>
          {field.label}
        </Checkbox>
      );
    case 'text':
      return (
        <TextField
          label={field.label}
          help={field.help}
          fault={bound.fault}
          value={String(bound.value ?? '')}
          maxLength={field.input.maximum}
          isRequired={!field.isOptional}
          isReadOnly={bound.lock !== undefined}
          onChange={(text) => bound.set(text === '' ? undefined : text)}
        />
      );
  }
}

const listOf = (value: unknown): (string | number)[] =>
  (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string' || typeof one === 'number');

interface ChoiceProps {
  readonly field: FormField;
  readonly bound: BoundField;
  readonly choices: readonly { readonly value: string | number; readonly label: string }[];
}

/** Nothing is shown where there is only one choice, unless the file says something else. */
function ChoiceInput({ field, bound, choices }: ChoiceProps) {
  const [only] = choices;
  if (choices.length === 1 && !field.isOptional && only?.value === bound.value) return null;
  if (choices.length === 1 && field.isOptional && field.initial === only?.value) return null;
  const optional = field.isOptional && field.initial === undefined ? [{ value: none, label: 'None' }] : [];
  return (
    <Select
      label={field.label}
      help={field.help}
      fault={bound.fault}
      choices={[...optional, ...choices.map(({ value, label }) => ({ value: String(value), label }))]}
      value={bound.value === undefined ? (optional.length > 0 ? none : null) : String(bound.value)}
      isDisabled={bound.lock !== undefined}
      onChange={(key) => bound.set(choices.find(({ value }) => String(value) === key)?.value)}
    />
  );
}

const none = '';

interface NumberProps {
  readonly pointer: Pointer;
  readonly field: FormField;
  readonly bound: BoundField;
  /** Null for a plain number. */
  readonly quantity: QuantityName | null;
}

/** A number as people write it. A text that is no number yet stays as it was typed. */
function NumberInput({ pointer, field, bound, quantity }: NumberProps) {
  const { change } = useBuilder();
  // While the person types, the field shows the typed text: `2.0` is on its way to `2.05`.
  const [typed, setTyped] = useState<string | null>(null);
  const { prefix, suffix } = quantity === null ? noSigns : quantities[quantity];
  const shown = typeof bound.value === 'number' ? textOf(bound.value, quantity) : '';
  return (
    <TextField
      label={field.label}
      help={field.help}
      fault={typed === null ? bound.fault : undefined}
      value={typed ?? bound.text ?? shown}
      isRequired={!field.isOptional}
      isReadOnly={bound.lock !== undefined}
      width="short"
      inputMode="decimal"
      autoComplete="off"
      {...(prefix !== '' && { before: prefix })}
      {...(suffix !== '' && { after: suffix === '%' ? suffix : `${suffix}s` })}
      onChange={(text) => {
        setTyped(text);
        change({ kind: 'type', pointer, text, format: quantity ?? 'number' });
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

const noSigns = { prefix: '', suffix: '' };
const textOf = (value: number, quantity: QuantityName | null): string =>
  quantity === null ? String(value) : digitsOf(value, quantity);
