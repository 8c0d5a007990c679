import { useState } from 'react';
import type { QuantityName } from '../../../../shared/domain/campaign/document/kinds/form.ts';
import { digitsOf, quantities } from '../../../../shared/domain/campaign/forms/quantities.ts';
import { TextField } from '../../parts/text-field.tsx';
import { useBuilder } from './builder-context.ts';
import { useField } from './use-field.ts';

interface Props {
  readonly pointer: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly format: QuantityName | 'number';
  readonly isOptional: boolean;
}

/** A number as people say it: `2`, `0.57`, `5 %`, `$0.01`. What is no number yet stays as it was typed. */
export function QuantityField({ pointer, label, help, format, isOptional }: Props) {
  const { state, change } = useBuilder();
  const { value, fault, lock } = useField(pointer, label);
  const [typed, setTyped] = useState<string | null>(null);
  const unread = state.texts[pointer];
  const written = unread?.text ?? (typeof value === 'number' ? shownText(value, format) : '');
  const { prefix, suffix } = format === 'number' ? { prefix: '', suffix: '' } : quantities[format];
  return (
    <TextField
      label={label}
      help={lock ?? help}
      width="short"
      inputMode="decimal"
      isRequired={!isOptional}
      isDisabled={lock !== undefined}
      value={typed ?? written}
      onChange={(text) => {
        setTyped(text);
        change({ kind: 'type', pointer, text, format });
      }}
      onBlur={() => setTyped(null)}
      fault={fault}
      id={pointer}
      {...(prefix !== '' && { before: prefix })}
      {...(suffix !== '' && { after: suffix === '%' ? '%' : `${suffix}s` })}
    />
  );
}

const shownText = (value: number, format: QuantityName | 'number') =>
  format === 'number' ? String(value) : digitsOf(value, format);
