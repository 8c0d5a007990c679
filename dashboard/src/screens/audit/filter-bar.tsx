import type { PersonView } from '../../api/types.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { Select } from '../../parts/select.tsx';
import styles from '../campaigns/campaigns.module.css';
import { type AuditChoice, latestMonths, monthText } from './filters.ts';

interface Props {
  readonly choice: AuditChoice;
  readonly people: readonly PersonView[];
  readonly onChange: (choice: AuditChoice) => void;
}

/** Narrows the audit down by month, person, outcome and text. */
export function AuditFilterBar({ choice, people, onChange }: Props) {
  return (
    <div className={styles.filters}>
      <SearchField label="Search entries" value={choice.text} onChange={(text) => onChange({ ...choice, text })} />
      <div className={styles.selects}>
        <Select
          label="Month"
          isCompact
          value={choice.month}
          onChange={(month) => onChange({ ...choice, month })}
          choices={latestMonths(new Date()).map((value) => ({ value, label: monthText(value) }))}
        />
        <Select
          label="Person"
          isCompact
          value={choice.person ?? 'all'}
          onChange={(person) => onChange({ ...choice, person: person === 'all' ? null : person })}
          choices={[
            { value: 'all', label: 'Everybody' },
            ...people.map(({ id, name, email }) => ({ value: id, label: name ?? email })),
          ]}
        />
        <Select
          label="Outcome"
          isCompact
          value={choice.outcome}
          onChange={(outcome) => onChange({ ...choice, outcome })}
          choices={[
            { value: 'all', label: 'Done and refused' },
            { value: 'done', label: 'Done' },
            { value: 'refused', label: 'Refused' },
          ]}
        />
      </div>
    </div>
  );
}
