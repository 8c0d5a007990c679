import type { CalendarDateTime } from '@internationalized/date';
import { DateField, DateInput, DateSegment } from 'react-aria-components/DateField';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import field from '../parts/field.module.css';
import { Faults, Help, Label } from '../parts/field.tsx';
import type { FieldProps } from '../parts/text-field.tsx';
import { instantText, ownTimeZone, zoneText } from '../text/times.ts';
import styles from './builder.module.css';
import { instantAt, otherInstant, wallTime } from './clock-changes.ts';

interface Props extends FieldProps {
  /** An instant, by ISO 8601; null as long as none is chosen. */
  readonly value: string | null;
  readonly timeZone: string;
  readonly isReadOnly?: boolean;
  readonly onChange: (instant: string) => void;
}

/** A date and a time in a named zone. The same instant is shown in the person's own zone where that differs. */
export function DateTimeField({ label, help, fault, value, timeZone, isReadOnly = false, onChange }: Props) {
  const other = value === null ? null : otherInstant(value, timeZone);
  return (
    <DateField<CalendarDateTime>
      className={classes(field.field)}
      value={value === null ? null : wallTime(value, timeZone)}
      granularity="minute"
      hourCycle={24}
      isReadOnly={isReadOnly}
      isInvalid={fault !== undefined}
      onChange={(chosen) => {
        if (chosen) onChange(instantAt(chosen, timeZone, value));
      }}
      {...(value === null && { placeholderValue: wallTime(new Date().toISOString(), timeZone) })}
    >
      <Label>{label}</Label>
      <DateInput className={classes(styles.segments)}>
        {(segment) => <DateSegment segment={segment} className={classes(styles.segment)} />}
      </DateInput>
      <Help>
        {help ?? zoneText(timeZone)}
        {value !== null && ownText(value, timeZone)}
        {other && ` · this time comes twice, and it is the ${other.isFirst ? 'second' : 'first'}`}
      </Help>
      <Faults>{fault}</Faults>
      {other && !isReadOnly && (
        <div className={styles.buttons}>
          <Button size="small" onPress={() => onChange(other.instant)}>
            {other.isFirst ? 'Take the first' : 'Take the second'}
          </Button>
        </div>
      )}
    </DateField>
  );
}

/** The instant in the person's zone, where its clock differs from the partnership's. */
function ownText(instant: string, timeZone: string): string {
  const now = new Date();
  const [own, there] = [instantText(instant, now), instantText(instant, now, timeZone)];
  return own === there ? '' : ` · ${own} ${zoneText(ownTimeZone())}`;
}
