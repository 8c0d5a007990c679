import { Link } from '@tanstack/react-router';
import type { CampaignSummary, GoalView } from '../../api/types.ts';
import { Progress } from '../../parts/progress.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import { numberText } from '../../text/numbers.ts';
import { scheduleText } from '../../text/schedule-words.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { CampaignMenu } from '../campaign/campaign-menu.tsx';
import { otherSideOf } from '../campaign/campaign-sides.ts';
import { CampaignState } from '../campaign/campaign-state.tsx';
import styles from './campaigns.module.css';

/** Campaigns as rows: name, state, dates, points, the first goal, and a menu of acts. */
export function CampaignTable({ campaigns }: { readonly campaigns: readonly CampaignSummary[] }) {
  const { id } = useOrganisation();
  return (
    <Table label="Campaigns" columns={columnsFor(id)} rows={campaigns} keyOf={(campaign) => String(campaign.id)} />
  );
}

const columnsFor = (organisation: number): Column<CampaignSummary>[] => [
  {
    id: 'name',
    label: 'Campaign',
    cell: (campaign) => (
      <span className={styles.name}>
        <Link
          to="/$organisation/campaigns/$campaign"
          params={{ organisation: String(organisation), campaign: String(campaign.id) }}
        >
          {campaign.name}
        </Link>
        <span className={styles.quiet}>
          {typeWords[campaign.type]} · {otherSideOf(campaign, organisation).name}
        </span>
      </span>
    ),
  },
  { id: 'state', label: 'State', cell: (campaign) => <CampaignState campaign={campaign} /> },
  { id: 'dates', label: 'Dates', isOneLine: true, cell: (campaign) => scheduleText(campaign, new Date()) },
  {
    id: 'points',
    label: 'Points',
    isNumeric: true,
    cell: ({ points }) => (points > 0 ? numberText(points) : ''),
  },
  {
    id: 'goal',
    label: 'Goal',
    cell: ({ goals: [goal] }) => goal && <Goal goal={goal} />,
  },
  { id: 'acts', label: 'Acts', hasHiddenLabel: true, cell: (campaign) => <CampaignMenu campaign={campaign} /> },
];

function Goal({ goal: { current, target } }: { readonly goal: GoalView }) {
  const text = `${Math.floor((100 * current) / target)} % of ${numberText(target)}`;
  return <Progress label="Goal" isCompact value={current} target={target} text={text} />;
}
