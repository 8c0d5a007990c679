import { useInfiniteQuery } from '@tanstack/react-query';
import { campaignPagesQuery } from '../../api/campaigns.ts';
import { may } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { ButtonLink } from '../../parts/button-link.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { useSettled } from '../../use-settled.ts';
import { CampaignTable } from './campaign-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { toCampaignFilter } from './filters.ts';
import { useFilters } from './use-filters.ts';

/** The campaigns of the organisation that fit the filters, page by page. */
export function CampaignsScreen() {
  const organisation = useOrganisation();
  const [filters, setFilters] = useFilters();
  const text = useSettled(filters.text);
  const filter = toCampaignFilter({ ...filters, ...(filters.text !== undefined && { text: text ?? '' }) });
  const query = useInfiniteQuery(campaignPagesQuery(organisation.id, filter));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title="Campaigns" actions={may(organisation, 'campaigns:write') && <NewCampaign look="primary" />}>
      <FilterBar filters={filters} onChange={setFilters} />
      <Loaded query={query} what="the campaigns">
        {({ pages }) => {
          const campaigns = pages.flatMap(({ data }) => data.campaigns);
          if (campaigns.length === 0) return isFiltered ? <NoneFits /> : <NoCampaigns />;
          return (
            <>
              <CampaignTable campaigns={campaigns} />
              {query.hasNextPage && (
                <div>
                  <Button isBusy={query.isFetchingNextPage} onPress={() => query.fetchNextPage()}>
                    Load more campaigns
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

const NoneFits = () => <Empty>No campaign fits these filters.</Empty>;

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
