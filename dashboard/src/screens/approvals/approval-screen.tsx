import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { campaignQuery } from '../../api/campaigns.ts';
import { partnershipsQuery } from '../../api/partnerships.ts';
import type { CampaignView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { changedText, isConflict } from '../../text/failure-text.ts';
import { listText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { ActDialog } from '../campaign/act-dialog.tsx';
import { CampaignFacts } from '../campaign/campaign-facts.tsx';
import { Flows } from '../campaign/flows.tsx';
import { Approvals } from '../campaign/next-version.tsx';
import { useCampaignActs } from '../campaign/use-campaign-acts.tsx';
import { PlaceLink } from '../place-link.tsx';
import styles from './approvals.module.css';
import { OwnParts } from './own-parts.tsx';

/** What a person needs to see before the organisation approves: what will run, what changes, and what is its own. */
export function ApprovalScreen({ id }: { readonly id: number }) {
  const organisation = useOrganisation();
  const query = useQuery(campaignQuery(organisation.id, id));
  if (query.data) return <Approval campaign={query.data} />;
  return (
    <Page title="Approval" above={above}>
      <Loaded query={query} what="the campaign">
        {() => null}
      </Loaded>
    </Page>
  );
}

const above = <PlaceLink to="/$organisation/approvals">Approvals</PlaceLink>;

function Approval({ campaign }: { readonly campaign: CampaignView }) {
  const organisation = useOrganisation();
  const navigate = useNavigate();
  const acts = useCampaignActs(campaign, () =>
    navigate({
      to: '/$organisation/campaigns/$campaign',
      params: { organisation: String(organisation.id), campaign: String(campaign.id) },
    }),
  );
  const isReviewed = campaign.draft !== null;
  return (
    <Page title={campaign.name} above={above} actions={isReviewed && <Decision campaign={campaign} acts={acts} />}>
      {isConflict(acts.error) && (
        <Banner tone="attention" isAlert title={changedText(acts.error)}>
          <p>Nothing was decided. You see the campaign as it is now.</p>
        </Banner>
      )}
      {isReviewed ? (
        <Review campaign={campaign} />
      ) : (
        <Banner>Nothing of this campaign waits for approval any more.</Banner>
      )}
    </Page>
  );
}

function Review({ campaign }: { readonly campaign: CampaignView }) {
  const { draft, live } = campaign;
  if (!draft) return null;
  return (
    <>
      <WhyNot campaign={campaign} />
      <div className={styles.layout}>
        <div className={styles.content}>
          <Section title="What will run">
            <Flows campaign={campaign} document={draft.document} />
            <CampaignFacts campaign={campaign} />
          </Section>
          {live && (
            <Section title="What changes against what runs now">
              <Card>
                {draft.differences.length > 0 ? (
                  <Diff changes={draft.differences} />
                ) : (
                  <p>Nothing: it is the same as what runs.</p>
                )}
              </Card>
            </Section>
          )}
          <Section title="What is yours">
            <OwnParts campaign={campaign} />
          </Section>
          <Section title="Approvals">
            <Card>
              <Approvals approvals={draft.approvals} />
              {campaign.waits_for.length > 0 && (
                <p>It waits for {listText(campaign.waits_for.map(({ name }) => name))}.</p>
              )}
            </Card>
          </Section>
        </div>
        <TryIt campaign={campaign} />
      </div>
    </>
  );
}

/** The code that tries a campaign is loaded after the screen. */
const TryApproval = lazy(() => import('./try-approval.tsx').then((module) => ({ default: module.TryApproval })));

/** Tries what waits. A program on neither side does not know the settings of the partnership, and cannot. */
function TryIt({ campaign }: { readonly campaign: CampaignView }) {
  const { data } = useQuery(partnershipsQuery(useOrganisation().id));
  const partnership = data?.find(({ uuid }) => uuid === campaign.partnership.uuid);
  if (!partnership) return null;
  return (
    <Suspense>
      <TryApproval campaign={campaign} partnership={partnership} />
    </Suspense>
  );
}

/** Says why the person cannot approve, if so. */
function WhyNot({ campaign }: { readonly campaign: CampaignView }) {
  const approve = campaign.acts.find(({ act }) => act === 'approve');
  if (!approve || approve.is_allowed || approve.reason === null) return null;
  return <Banner title="You cannot approve this">{approve.reason}</Banner>;
}

interface DecisionProps {
  readonly campaign: CampaignView;
  readonly acts: ReturnType<typeof useCampaignActs>;
}

function Decision({ campaign, acts }: DecisionProps) {
  const [isRejecting, reject] = useState(false);
  const isAllowed = (wanted: string) => campaign.acts.some(({ act, is_allowed }) => act === wanted && is_allowed);
  return (
    <>
      {isAllowed('reject') && <Button onPress={() => reject(true)}>Reject…</Button>}
      {isAllowed('approve') && (
        <Button look="primary" isBusy={acts.isPending && !isRejecting} onPress={() => acts.mutate({ act: 'approve' })}>
          Approve campaign
        </Button>
      )}
      {isRejecting && <ActDialog act="reject" campaign={campaign} acts={acts} onClose={() => reject(false)} />}
    </>
  );
}
