import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { campaignsQuery } from '../../api/campaigns.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { isWaitingFor, typeWords } from '../../text/campaign-words.ts';
import { listText } from '../../text/numbers.ts';
import { scheduleText } from '../../text/schedule-words.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { otherSideOf } from '../campaign/campaign-sides.ts';
import styles from '../campaigns/campaigns.module.css';
import { PlaceLink } from '../place-link.tsx';

/** What waits for the organisation's approval, and what waits for others'. */
export function ApprovalsScreen() {
  const query = useQuery(campaignsQuery(useOrganisation().id, { waiting: 'anyone' }));
  return (
    <Page title="Approvals">
      <Loaded query={query} what="the campaigns">
        {(campaigns) => <Waiting campaigns={campaigns} />}
      </Loaded>
    </Page>
  );
}

function Waiting({ campaigns }: { readonly campaigns: readonly CampaignSummary[] }) {
  const organisation = useOrganisation();
  const yours = campaigns.filter((one) => isWaitingFor(one, organisation));
  const others = campaigns.filter((one) => one.is_in_review && !isWaitingFor(one, organisation));
  return (
    <>
      <Section title="Waiting for you">
        {yours.length > 0 ? (
          <ReviewTable label="Waiting for you" campaigns={yours} to="/$organisation/approvals/$campaign" />
        ) : (
          <Empty action={<PlaceLink to="/$organisation/campaigns">All campaigns</PlaceLink>}>
            Nothing waits for your approval.
          </Empty>
        )}
      </Section>
      {others.length > 0 && (
        <Section title="Waiting for others">
          <ReviewTable label="Waiting for others" campaigns={others} to="/$organisation/campaigns/$campaign" />
        </Section>
      )}
    </>
  );
}

interface TableProps {
  readonly label: string;
  readonly campaigns: readonly CampaignSummary[];
  readonly to: '/$organisation/approvals/$campaign' | '/$organisation/campaigns/$campaign';
}

function ReviewTable({ label, campaigns, to }: TableProps) {
  const organisation = useOrganisation();
  return (
    <Table
      isEven
      label={label}
      rows={campaigns}
      keyOf={({ id }) => String(id)}
      columns={[
        {
          id: 'name',
          label: 'Campaign',
          cell: (campaign) => (
            <span className={styles.name}>
              <Link to={to} params={{ organisation: String(organisation.id), campaign: String(campaign.id) }}>
                {campaign.name}
              </Link>
              <span className={styles.quiet}>
                {typeWords[campaign.type]} · {otherSideOf(campaign, organisation.id).name}
              </span>
            </span>
          ),
        },
        {
          id: 'what',
          label: 'What',
          cell: (campaign) => (campaign.has_next_version ? 'Changes to a running campaign' : 'A new campaign'),
        },
        { id: 'waits', label: 'Waits for', cell: (campaign) => listText(campaign.waits_for.map(({ name }) => name)) },
        { id: 'dates', label: 'Dates', cell: (campaign) => scheduleText(campaign, new Date()) },
      ]}
    />
  );
}
