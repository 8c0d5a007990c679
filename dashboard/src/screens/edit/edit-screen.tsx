import { useQuery } from '@tanstack/react-query';
import { settingsOf } from '../../api/builder-settings.ts';
import { campaignQuery } from '../../api/campaigns.ts';
import { partnershipsQuery } from '../../api/partnerships.ts';
import { Banner } from '../../parts/banner.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import { BuilderFrame } from './builder-frame.tsx';
import type { EditPlace } from './steps.ts';

/** The builder of a campaign, at one of its places. */
export function EditScreen({ id, place }: { readonly id: number; readonly place: EditPlace }) {
  const organisation = useOrganisation();
  const campaign = useQuery(campaignQuery(organisation.id, id));
  const partnerships = useQuery(partnershipsQuery(organisation.id));
  const partnership = partnerships.data?.find(({ uuid }) => uuid === campaign.data?.partnership.uuid);
  const why = campaign.data?.acts.find(({ act, is_allowed }) => act === 'edit' && !is_allowed)?.reason;
  if (campaign.data && partnership && !why) {
    return <BuilderFrame key={id} campaign={campaign.data} settings={settingsOf(partnership)} place={place} />;
  }
  return (
    <Page
      title={campaign.data?.name ?? 'Campaign'}
      above={<PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>}
    >
      {why ? (
        <Banner title="You cannot edit this campaign">{why}.</Banner>
      ) : (
        <Loaded query={campaign} what="the campaign">
          {() => (
            <Loaded query={partnerships} what="the partnership">
              {() => null}
            </Loaded>
          )}
        </Loaded>
      )}
    </Page>
  );
}
