import type { CampaignSummary } from '../../api/types.ts';
import { Chip } from '../../parts/chip.tsx';
import { StatusChip } from '../../parts/status-chip.tsx';
import { isWaitingFor } from '../../text/campaign-words.ts';
import { countText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './campaign.module.css';

/** The state of a campaign, and what holds it up. */
export function CampaignState({ campaign }: { readonly campaign: CampaignSummary }) {
  const { status, has_next_version, faults } = campaign;
  const isYours = isWaitingFor(campaign, useOrganisation());
  return (
    <span className={styles.state}>
      <StatusChip status={status} />
      {isYours && <Chip tone="attention">Waiting for you</Chip>}
      {!isYours && has_next_version && <Chip isHollow>Changes waiting</Chip>}
      {faults > 0 && <Chip tone="fault">{countText(faults, 'fault')}</Chip>}
    </span>
  );
}
