import type { CampaignSummary } from '../../api/types.ts';
import { Chip } from '../../parts/chip.tsx';
import { StatusChip } from '../../parts/status-chip.tsx';
import { countText } from '../../text/numbers.ts';
import styles from './campaign.module.css';

/** The state of a campaign, and what holds it up. */
export function CampaignState({ campaign }: { readonly campaign: CampaignSummary }) {
  const { status, is_waiting_for_you, has_next_version, faults } = campaign;
  return (
    <span className={styles.state}>
      <StatusChip status={status} />
      {is_waiting_for_you && <Chip tone="attention">Waiting for you</Chip>}
      {!is_waiting_for_you && has_next_version && <Chip isHollow>Changes waiting</Chip>}
      {faults > 0 && <Chip tone="fault">{countText(faults, 'fault')}</Chip>}
    </span>
  );
}
