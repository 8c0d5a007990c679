import { useQuery } from '@tanstack/react-query';
import { partnershipsQuery } from '../../api/partnerships.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Select } from '../../parts/select.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './campaigns.module.css';
import { campaignTypes, type Filters, type State, stateNames } from './filters.ts';

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const stateWords: Readonly<Record<State, string>> = {
  active: 'Active',
  paused: 'Paused',
  scheduled: 'Scheduled',
  waiting: 'Waiting',
  draft: 'Draft',
  ended: 'Ended',
};

/** Narrows the list down by text, state, type and partnership. */
export function FilterBar({ filters, onChange }: Props) {
  const { data: partnerships = [] } = useQuery(partnershipsQuery(useOrganisation().id));
  const { state, type, partnership, text } = filters;
  const change = (changed: { readonly [Name in keyof Filters]: Filters[Name] | undefined }) =>
    onChange(withoutUndefined({ ...filters, ...changed }));
  return (
    <div className={styles.filters}>
      <SearchField
        label="Search campaigns"
        value={text ?? ''}
        onChange={(next) => change({ text: next || undefined })}
      />
      <Segmented
        label="State"
        value={state ?? 'all'}
        onChange={(next) => change({ state: next === 'all' ? undefined : next })}
        choices={[{ value: 'all', label: 'All' }, ...stateNames.map((value) => ({ value, label: stateWords[value] }))]}
      />
      <div className={styles.selects}>
        <Select
          label="Type"
          isCompact
          value={type ?? 'all'}
          onChange={(next) => change({ type: next === 'all' ? undefined : next })}
          choices={[
            { value: 'all', label: 'All types' },
            ...campaignTypes.map((value) => ({ value, label: typeWords[value] })),
          ]}
        />
        {partnerships.length > 1 && (
          <Select
            label="Partnership"
            isCompact
            value={partnership ?? 'all'}
            onChange={(next) => change({ partnership: next === 'all' ? undefined : next })}
            choices={[
              { value: 'all', label: 'All partnerships' },
              ...partnerships.map(({ uuid, name }) => ({ value: uuid, label: name })),
            ]}
          />
        )}
      </div>
    </div>
  );
}

const withoutUndefined = (filters: { readonly [Name in keyof Filters]: Filters[Name] | undefined }): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
