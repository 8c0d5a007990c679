import { Input } from 'react-aria-components/Input';
import { TextField } from 'react-aria-components/TextField';
import { exactInstantText, ownTimeZone, zoneText } from '../text/times.ts';
import { instantAt, wallTimeAt } from '../text/zoned.ts';
import { classes } from './classes.ts';
import field from './field.module.css';
import { Faults, Help, Label } from './field.tsx';
import type { FieldProps } from './text-field.tsx';

interface Props extends FieldProps {
  /** ISO 8601; null without a value. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  /** The zone in which the date and time are meant. */
  readonly timeZone: string;
  readonly isDisabled?: boolean;
}

/** A date and a time in a named zone. In another zone than the person's own, the person's time stands below. */
export function DateTime({ label, help, fault, value, onChange, timeZone, isDisabled = false }: Props) {
  const isElsewhere = value !== null && timeZone !== ownTimeZone();
  return (
    <TextField
      className={classes(field.field)}
      isInvalid={fault !== undefined}
      isDisabled={isDisabled}
      value={value === null ? '' : wallTimeAt(value, timeZone)}
      onChange={(text) => onChange(text === '' ? null : instantAt(text, timeZone))}
    >
      <Label>{label}</Label>
      <span className={classes(field.control)}>
        <Input type="datetime-local" className={classes(field.input)} />
        <span className={classes(field.affix)}>{zoneText(timeZone)}</span>
      </span>
      <Help>
        {help}
        {isElsewhere && ` For you: ${exactInstantText(value)}.`}
      </Help>
      <Faults>{fault}</Faults>
    </TextField>
  );
}
