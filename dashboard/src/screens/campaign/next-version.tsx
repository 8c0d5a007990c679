import type { ApprovalView, CampaignView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Card } from '../../parts/card.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Section } from '../../parts/page.tsx';
import { countText, listText } from '../../text/numbers.ts';
import styles from './campaign.module.css';
import { FaultLinks } from './fault-links.tsx';

/** What is written but not approved yet: who is waited for, what it changes, and what keeps it from approval. */
export function NextVersion({ campaign }: { readonly campaign: CampaignView }) {
  const { draft, live, waits_for } = campaign;
  if (draft === null) return null;
  const { rejection, faults, differences, approvals } = draft;
  return (
    <Section title={live ? 'Changes waiting' : 'On its way'}>
      {rejection && (
        <Banner tone="attention" title={`${rejection.organisation.name} sent it back`}>
          <p>{rejection.reason}</p>
        </Banner>
      )}
      {faults.length > 0 && (
        <Banner
          tone="fault"
          title={`${countText(faults.length, 'fault')} to mend before it can be approved`}
          isAlert={false}
        >
          <FaultLinks campaign={campaign.id} faults={faults} />
        </Banner>
      )}
      <Card>
        <p>{waitingText(waits_for.map(({ name }) => name))}</p>
        <Approvals approvals={approvals} />
        {live && differences.length > 0 && <Diff changes={differences} />}
      </Card>
    </Section>
  );
}

const waitingText = (names: readonly string[]) =>
  names.length === 0
    ? 'It waits for no approval.'
    : `It takes effect when ${listText(names)} ${names.length === 1 ? 'has' : 'have'} approved it.`;

/** Who approved this revision. */
export function Approvals({ approvals }: { readonly approvals: readonly ApprovalView[] }) {
  if (approvals.length === 0) return null;
  return (
    <ul className={styles.approvals}>
      {approvals.map(({ organisation, person, at }) => (
        <li key={organisation.id}>
          <strong>{organisation.name}</strong> approved <Instant at={at} />
          {person !== null && ` (${person})`}
        </li>
      ))}
    </ul>
  );
}
