import { useQuery } from '@tanstack/react-query';
import { builderSettingsQuery } from '../../api/builder-settings.ts';
import { campaignQuery } from '../../api/campaigns.ts';
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
  const settings = useQuery({
    ...builderSettingsQuery(organisation.id, campaign.data?.partnership.uuid ?? ''),
    enabled: campaign.data !== undefined,
  });
  const why = campaign.data?.acts.find(({ act, is_allowed }) => act === 'edit' && !is_allowed)?.reason;
  if (campaign.data && settings.data && !why) {
    return <BuilderFrame key={id} campaign={campaign.data} settings={settings.data} place={place} />;
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
            <Loaded query={settings} what="the partnership">
              {() => null}
            </Loaded>
          )}
        </Loaded>
      )}
    </Page>
  );
}
