import { useBuilder } from '../../builder/context.ts';
import { useField } from '../../builder/use-field.ts';
import { DateTime } from '../../parts/date-time.tsx';
import { RadioCards } from '../../parts/radio-cards.tsx';
import { zoneText } from '../../text/times.ts';
import styles from './edit.module.css';

const hourMs = 60 * 60 * 1_000;
const nextDay = () => new Date(Math.ceil((Date.now() + 24 * hourMs) / hourMs) * hourMs).toISOString();
const nextMonth = () => new Date(Math.ceil((Date.now() + 30 * 24 * hourMs) / hourMs) * hourMs).toISOString();

/** When a campaign runs. */
export function ScheduleStep() {
  const { timeZone } = useBuilder().campaign;
  const start = useField('/startsAt', 'Start');
  const end = useField('/endsAt', 'End');
  return (
    <div className={styles.form}>
      <p className={styles.quiet}>All times are those of {zoneText(timeZone)}, the zone of the partnership.</p>
      <RadioCards
        label="Start"
        value={typeof start.value === 'string' ? 'at' : 'approved'}
        onChange={(choice) => start.set(choice === 'at' ? nextDay() : undefined)}
        isDisabled={start.lock !== undefined}
        help={start.lock}
        choices={[
          { value: 'approved', label: 'When approved', help: 'It runs as soon as the last approval is given.' },
          { value: 'at', label: 'At a time', help: 'It waits for a date and a time after the approval.' },
        ]}
      />
      {typeof start.value === 'string' && (
        <DateTime
          label="Starts"
          value={start.value}
          onChange={(value) => start.set(value ?? undefined)}
          timeZone={timeZone}
          isDisabled={start.lock !== undefined}
          fault={start.fault}
        />
      )}
      <RadioCards
        label="End"
        value={typeof end.value === 'string' ? 'at' : 'never'}
        onChange={(choice) => end.set(choice === 'at' ? nextMonth() : null)}
        choices={[
          { value: 'never', label: 'No end', help: 'It runs until one of the two sides ends it.' },
          { value: 'at', label: 'At a time', help: 'It ends by itself.' },
        ]}
      />
      {typeof end.value === 'string' && (
        <DateTime
          label="Ends"
          help="What happens from this time on gives nothing."
          value={end.value}
          onChange={end.set}
          timeZone={timeZone}
          fault={end.fault}
        />
      )}
    </div>
  );
}
