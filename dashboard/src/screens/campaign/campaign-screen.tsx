import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { campaignQuery } from '../../api/campaigns.ts';
import type { CampaignView } from '../../api/types.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import { BarredActs } from './barred-acts.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignFacts } from './campaign-facts.tsx';
import { CampaignFigures } from './campaign-figures.tsx';
import { CampaignState } from './campaign-state.tsx';
import { Flows } from './flows.tsx';
import { History } from './history.tsx';
import { NextVersion } from './next-version.tsx';
import { Versions } from './versions.tsx';

/** One campaign: what it gives, what waits, and what was before. */
export function CampaignScreen({ id }: { readonly id: number }) {
  const organisation = useOrganisation();
  const query = useQuery(campaignQuery(organisation.id, id));
  if (!query.data) {
    return (
      <Page title="Campaign">
        <Loaded query={query} what="the campaign">
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <LoadedCampaign campaign={query.data} />;
}

function LoadedCampaign({ campaign }: { readonly campaign: CampaignView }) {
  const organisation = useOrganisation();
  const navigate = useNavigate();
  const params = { organisation: String(organisation.id) };
  const leave = () => navigate({ to: '/$organisation/campaigns', params });
  return (
    <Page
      title={campaign.name}
      above={<PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>}
      beside={<CampaignState campaign={campaign} />}
      actions={<CampaignActions campaign={campaign} onDeleted={leave} />}
    >
      <CampaignFacts campaign={campaign} />
      {campaign.live && (
        <Section title="Figures">
          <CampaignFigures campaign={campaign} />
        </Section>
      )}
      <NextVersion campaign={campaign} />
      <Section title={campaign.live ? 'What members get' : 'What members would get'}>
        <Flows campaign={campaign} document={campaign.live?.document ?? campaign.draft?.document} />
      </Section>
      {campaign.versions.length > 0 && (
        <Section title="Versions">
          <Versions versions={campaign.versions} />
        </Section>
      )}
      <Section title="Who did what">
        <History campaign={campaign} />
      </Section>
      <BarredActs acts={campaign.acts} />
    </Page>
  );
}
