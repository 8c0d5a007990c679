import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { settingsOf } from '../../api/builder-settings.ts';
import { campaignQuery } from '../../api/campaigns.ts';
import { partnershipsQuery } from '../../api/partnerships.ts';
import { keepWork } from '../../builder/kept-work.ts';
import type { BuilderPlace } from '../../builder/state.ts';
import { Banner } from '../../parts/banner.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import { EditFrame } from './edit-frame.tsx';

interface Props {
  readonly id: number;
  readonly place: BuilderPlace;
  /** JSON Pointer of the field to begin at. */
  readonly field: string | undefined;
}

/** The builder of a campaign, at one of its places. */
export function EditScreen({ id, place, field }: Props) {
  const organisation = useOrganisation();
  const queryClient = useQueryClient();
  // Each reload begins the builder anew, with the document that the server has then.
  const [reloads, setReloads] = useState(0);
  const campaign = useQuery(campaignQuery(organisation.id, id));
  const partnerships = useQuery(partnershipsQuery(organisation.id));
  const view = campaign.data;
  const partnership = partnerships.data?.find(({ uuid }) => uuid === view?.partnership.uuid);
  const settings = useMemo(() => partnership && settingsOf(partnership), [partnership]);
  const reload = async () => {
    const { revision } = await queryClient.fetchQuery({ ...campaignQuery(organisation.id, id), staleTime: 0 });
    keepWork({ campaign: id, revision }, null);
    setReloads(reloads + 1);
  };
  const why = view?.acts.find(({ act, is_allowed }) => act === 'edit' && !is_allowed)?.reason;
  if (view && settings && !why) {
    return <EditFrame key={reloads} {...{ view, place, field, reload }} settings={settings} />;
  }
  return (
    <Page title={view?.name ?? 'Campaign'} above={<PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>}>
      {why ? (
        <Banner title="You cannot edit this campaign">{why}.</Banner>
      ) : (
        <Loaded query={campaign} what="the campaign">
          {() => (
            <Loaded query={partnerships} what="the partnership">
              {() => <Banner>The partnership of this campaign is not one of your organisation.</Banner>}
            </Loaded>
          )}
        </Loaded>
      )}
    </Page>
  );
}
