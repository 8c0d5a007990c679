import { useQuery } from '@tanstack/react-query';
import { partnershipsQuery } from '../../api/partnerships.ts';
import { templatesQuery } from '../../api/templates.ts';
import type { PartnershipView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import { Origins } from './origins.tsx';
import { PartnershipChoice } from './partnership-choice.tsx';
import { useNewCampaign } from './use-new-campaign.ts';

/** The beginning of a campaign: a template first, from scratch, or from a file. */
export function NewCampaignScreen() {
  const { id } = useOrganisation();
  const partnerships = useQuery(partnershipsQuery(id));
  return (
    <Page title="New campaign" above={<PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>}>
      <Loaded query={partnerships} what="the partnerships">
        {(all) => (all.length === 0 ? <NoPartnership /> : <Beginnings partnerships={all} />)}
      </Loaded>
    </Page>
  );
}

function NoPartnership() {
  return (
    <Empty>A campaign belongs to a partnership of a merchant and a program. Your organisation has none yet.</Empty>
  );
}

function Beginnings({ partnerships }: { readonly partnerships: readonly PartnershipView[] }) {
  const { id } = useOrganisation();
  const templates = useQuery(templatesQuery(id));
  const { partnership, choosePartnership, begin, failure, busyWith } = useNewCampaign(partnerships);
  return (
    <>
      {failure && (
        <Banner tone="fault" title="The campaign was not created">
          {failureText(failure)}
        </Banner>
      )}
      {partnerships.length > 1 && (
        <PartnershipChoice partnerships={partnerships} value={partnership} onChange={choosePartnership} />
      )}
      <Section title="Begin with">
        <Loaded query={templates} what="the templates">
          {(all) => <Origins templates={all} busyWith={busyWith} onBegin={begin} />}
        </Loaded>
      </Section>
    </>
  );
}
