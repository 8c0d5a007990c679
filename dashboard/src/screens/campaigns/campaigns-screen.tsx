import { useQuery } from '@tanstack/react-query';
import { campaignsQuery } from '../../api/campaigns.ts';
import { may } from '../../api/session.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { ButtonLink } from '../../parts/button-link.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { CampaignTable } from './campaign-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { applyFilters } from './filters.ts';
import { useFilters } from './use-filters.ts';

/** All campaigns of the organisation. */
export function CampaignsScreen() {
  const organisation = useOrganisation();
  const query = useQuery(campaignsQuery(organisation.id));
  return (
    <Page title="Campaigns" actions={may(organisation, 'campaigns:write') && <NewCampaign look="primary" />}>
      <Loaded query={query} what="the campaigns">
        {(campaigns) => (campaigns.length === 0 ? <NoCampaigns /> : <List campaigns={campaigns} />)}
      </Loaded>
    </Page>
  );
}

function List({ campaigns }: { readonly campaigns: readonly CampaignSummary[] }) {
  const [filters, setFilters] = useFilters();
  const shown = applyFilters(campaigns, filters);
  return (
    <>
      <FilterBar campaigns={campaigns} filters={filters} onChange={setFilters} />
      {shown.length > 0 ? <CampaignTable campaigns={shown} /> : <Empty>No campaign fits these filters.</Empty>}
    </>
  );
}

function NoCampaigns() {
  const organisation = useOrganisation();
  return (
    <Empty action={may(organisation, 'campaigns:write') && <NewCampaign look="secondary" />}>
      A campaign says what members get, and when. You have none yet.
    </Empty>
  );
}

function NewCampaign({ look }: { readonly look: 'primary' | 'secondary' }) {
  const { id } = useOrganisation();
  return (
    <ButtonLink look={look} to="/$organisation/campaigns/new" params={{ organisation: String(id) }}>
      New campaign
    </ButtonLink>
  );
}
