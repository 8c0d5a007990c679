import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { settingsOf } from '../../api/builder-settings.ts';
import { campaignQuery } from '../../api/campaigns.ts';
import { partnershipsQuery } from '../../api/partnerships.ts';
import type { BuilderPlace } from '../../builder/state.ts';
import { Banner } from '../../parts/banner.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation, useSession } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import { EditFrame } from './edit-frame.tsx';
import { keptQuery, LeftWork } from './left-work.tsx';

interface Props {
  readonly id: number;
  readonly place: BuilderPlace;
  /** JSON Pointer of the field to begin at. */
  readonly field: string | undefined;
}

/** The builder of a campaign, at one of its places. */
export function EditScreen({ id, place, field }: Props) {
  const organisation = useOrganisation();
  const { person } = useSession();
  const keptPlace = { person: person.id, organisation: organisation.id, campaign: id };
  const campaign = useQuery(campaignQuery(organisation.id, id));
  const partnerships = useQuery(partnershipsQuery(organisation.id));
  const kept = useQuery(keptQuery(keptPlace));
  const view = campaign.data;
  const partnership = partnerships.data?.find(({ uuid }) => uuid === view?.partnership.uuid);
  const settings = useMemo(() => partnership && settingsOf(partnership), [partnership]);
  const why = view?.acts.find(({ act, is_allowed }) => act === 'edit' && !is_allowed)?.reason;
  if (view && settings && !why && kept.data !== undefined) {
    return <EditFrame {...{ view, place, field }} kept={kept.data} settings={settings} />;
  }
  return (
    <Page title={view?.name ?? 'Campaign'} above={<PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>}>
      {(why || campaign.error) && <LeftWork place={keptPlace} />}
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
