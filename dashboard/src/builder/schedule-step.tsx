import { Segmented } from '../parts/segmented.tsx';
import { zoneText } from '../text/times.ts';
import styles from './builder.module.css';
import { clockChangesBetween, midnightAfter } from './clock-changes.ts';
import { useBuilder } from './context.ts';
import { DateTimeField } from './date-time-field.tsx';
import { Lock } from './part-editor.tsx';
import { useField } from './use-field.ts';

const starts = [
  { value: 'approved', label: 'When it is approved' },
  { value: 'instant', label: 'At a time' },
] as const;
const ends = [
  { value: 'open', label: 'When it is ended' },
  { value: 'instant', label: 'At a time' },
] as const;

/** When the campaign runs, in the zone of the partnership. */
export function ScheduleStep() {
  const { campaign } = useBuilder();
  const start = useField('/startsAt', 'The start');
  const end = useField('/endsAt', 'The end');
  const startsAt = textOf(start.value);
  const endsAt = textOf(end.value);
  const isAtOnce = start.lock === undefined && (startsAt === null || Date.parse(startsAt) <= Date.now());
  const inDays = (days: number, from: string | null) => {
    const begin = Math.max(Date.now(), from === null ? 0 : Date.parse(from));
    return midnightAfter(days, new Date(begin).toISOString(), campaign.timeZone);
  };
  const changes = clockChangesBetween(isAtOnce ? null : startsAt, endsAt, campaign.timeZone, new Date());
  return (
    <div className={styles.content}>
      <div className={styles.group} id="at/startsAt">
        <h3 className={styles.subject}>Starts</h3>
        {start.lock === undefined && (
          <Segmented
            label="Start"
            choices={starts}
            value={isAtOnce ? 'approved' : 'instant'}
            onChange={(chosen) => start.set(chosen === 'approved' ? null : inDays(1, null))}
          />
        )}
        {!isAtOnce && (
          <DateTimeField
            label="Start"
            value={startsAt}
            timeZone={campaign.timeZone}
            fault={start.fault}
            isReadOnly={start.lock !== undefined}
            onChange={start.set}
          />
        )}
        {start.lock !== undefined && <Lock reason={start.lock} />}
      </div>
      <div className={styles.group} id="at/endsAt">
        <h3 className={styles.subject}>Ends</h3>
        <Segmented
          label="End"
          choices={ends}
          value={endsAt === null ? 'open' : 'instant'}
          onChange={(chosen) => end.set(chosen === 'open' ? null : inDays(30, startsAt))}
        />
        {endsAt !== null && (
          <DateTimeField label="End" value={endsAt} timeZone={campaign.timeZone} fault={end.fault} onChange={end.set} />
        )}
      </div>
      <p className={styles.quiet}>{`Times are those of ${zoneText(campaign.timeZone)}. ${changes}`}</p>
    </div>
  );
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
