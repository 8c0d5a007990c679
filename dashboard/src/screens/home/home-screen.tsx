import { useQuery } from '@tanstack/react-query';
import { campaignsQuery } from '../../api/campaigns.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Invitations } from '../../shell/invitations.tsx';
import { isWaitingFor } from '../../text/campaign-words.ts';
import { useOrganisation, useSession } from '../../use-organisation.ts';
import { CampaignLines } from './campaign-lines.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './home.module.css';
import { isSoon, soonText } from './soon.ts';

/** What needs the person now, and what changes by itself soon. */
export function HomeScreen() {
  const organisation = useOrganisation();
  const { invitations } = useSession();
  const query = useQuery(campaignsQuery(organisation.id));
  return (
    <Page title="Home">
      <Invitations invitations={invitations} />
      <Loaded query={query} what="the campaigns">
        {(campaigns) => <Overview campaigns={campaigns} />}
      </Loaded>
    </Page>
  );
}

function Overview({ campaigns }: { readonly campaigns: readonly CampaignSummary[] }) {
  const now = new Date();
  const organisation = useOrganisation();
  const waiting = campaigns.filter((one) => isWaitingFor(one, organisation));
  const soon = campaigns.filter((campaign) => isSoon(campaign, now));
  const running = campaigns.filter(({ status }) => status === 'ACTIVE');
  return (
    <>
      <FirstSteps campaigns={campaigns} />
      <Section title="Waiting for you">
        {waiting.length > 0 ? (
          <CampaignLines campaigns={waiting} isReview detail={() => 'Asks for your approval'} />
        ) : (
          <p className={styles.quiet}>Nothing waits for your approval.</p>
        )}
      </Section>
      <Section title="Starts or ends within 7 days">
        {soon.length > 0 ? (
          <CampaignLines campaigns={soon} detail={(campaign) => soonText(campaign, now)} />
        ) : (
          <p className={styles.quiet}>No campaign starts or ends within 7 days.</p>
        )}
      </Section>
      {running.length > 0 && (
        <Section title="Running now">
          <CampaignLines campaigns={running} />
        </Section>
      )}
    </>
  );
}
