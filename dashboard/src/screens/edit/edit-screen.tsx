import { useQuery } from '@tanstack/react-query';
import { campaignQuery } from '../../api/campaigns.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import type { EditPlace } from './steps.ts';

/** The builder of a campaign, at one of its steps. */
export function EditScreen({ id }: { readonly id: number; readonly place: EditPlace }) {
  const organisation = useOrganisation();
  const query = useQuery(campaignQuery(organisation.id, id));
  return (
    <Page title={query.data?.name ?? 'Campaign'}>
      <Loaded query={query} what="the campaign">
        {() => null}
      </Loaded>
    </Page>
  );
}
