import type { CampaignSummary, CampaignType, Named } from '../../api/types.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Select } from '../../parts/select.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { otherSideOf } from '../campaign/campaign-sides.ts';
import styles from './campaigns.module.css';
import { countByState, type Filters, states } from './filters.ts';

interface Props {
  readonly campaigns: readonly CampaignSummary[];
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const stateWords = {
  active: 'Active',
  scheduled: 'Scheduled',
  waiting: 'Waiting',
  draft: 'Draft',
  ended: 'Ended',
} as const;

/** Narrows the list down by text, state, type and other side. */
export function FilterBar({ campaigns, filters, onChange }: Props) {
  const { id } = useOrganisation();
  const { state, type, partner, text, ...none } = filters;
  const others = distinct(campaigns.map((campaign) => otherSideOf(campaign, id)));
  const counts = countByState(campaigns, filters);
  const change = (changed: { readonly [Name in keyof Filters]: Filters[Name] | undefined }) =>
    onChange(withoutUndefined({ ...none, state, type, partner, text, ...changed }));
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
        choices={[
          { value: 'all', label: 'All' },
          ...states.map((value) => ({ value, label: stateWords[value], count: counts[value] })),
        ]}
      />
      <div className={styles.selects}>
        <Select
          label="Type"
          isCompact
          value={type ?? 'all'}
          onChange={(next) => change({ type: next === 'all' ? undefined : next })}
          choices={[
            { value: 'all', label: 'All types' },
            ...typesOf(campaigns).map((value) => ({ value, label: typeWords[value] })),
          ]}
        />
        {others.length > 1 && (
          <Select
            label="Partner"
            isCompact
            value={partner === undefined ? 'all' : String(partner)}
            onChange={(next) => change({ partner: next === 'all' ? undefined : Number(next) })}
            choices={[
              { value: 'all', label: 'All partners' },
              ...others.map((one) => ({ value: String(one.id), label: one.name })),
            ]}
          />
        )}
      </div>
    </div>
  );
}

const typesOf = (campaigns: readonly CampaignSummary[]): CampaignType[] => [
  ...new Set(campaigns.map(({ type }) => type)),
];

const distinct = (named: readonly Named[]): Named[] => [...new Map(named.map((one) => [one.id, one])).values()];

const withoutUndefined = (filters: { readonly [Name in keyof Filters]: Filters[Name] | undefined }): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
