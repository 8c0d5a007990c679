import type { FormField } from '../../../../shared/domain/campaign/forms/part-forms.ts';
import { Checkbox } from '../../parts/checkbox.tsx';
import { ComboChips } from '../../parts/combo-chips.tsx';
import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { QuantityField } from './quantity-field.tsx';
import { useField } from './use-field.ts';

interface Props {
  /** JSON Pointer of the field. */
  readonly pointer: string;
  readonly field: FormField;
}

/** A field of a part, drawn as its kind describes it. */
export function PartField({ pointer, field }: Props) {
  const { label, help, input, isOptional } = field;
  const { value, fault, lock, set } = useField(pointer, label);
  const shared = { label, fault, ...(help !== undefined && { help }) };
  const isDisabled = lock !== undefined;
  switch (input.kind) {
    case 'quantity':
      return <QuantityField pointer={pointer} label={label} help={help} format={input.quantity} isOptional={isOptional} />;
    case 'number':
      return <QuantityField pointer={pointer} label={label} help={help} format="number" isOptional={isOptional} />;
    case 'choice':
      return (
        <Select
          {...shared}
          isDisabled={isDisabled}
          value={value === undefined ? textOf(field.initial) : textOf(value)}
          choices={input.choices.map(toText)}
          onChange={(chosen) => set(input.choices.find((choice) => String(choice.value) === chosen)?.value)}
        />
      );
    case 'chips':
      return (
        <ComboChips
          {...shared}
          isDisabled={isDisabled}
          isOpen={input.isOpen}
          choices={input.choices.map(toText)}
          values={Array.isArray(value) ? value.map(String) : []}
          onChange={(values) => set(input.of === 'number' ? values.map(Number) : values)}
        />
      );
    case 'switch':
      return (
        <Checkbox {...(help !== undefined && { help })} isSelected={value === true} isDisabled={isDisabled} onChange={set}>
          {label}
        </Checkbox>
      );
    case 'text':
      return (
        <TextField
          {...shared}
          isRequired={!isOptional}
          isDisabled={isDisabled}
          value={typeof value === 'string' ? value : ''}
          onChange={(text) => set(text === '' ? undefined : text)}
          id={pointer}
        />
      );
  }
}

const textOf = (value: unknown): string | null => (value === undefined || value === null ? null : String(value));

const toText = ({ value, label }: { readonly value: string | number; readonly label: string }) => ({ value: String(value), label });
