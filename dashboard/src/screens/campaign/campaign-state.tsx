import type { CampaignSummary } from '../../api/types.ts';
import { Chip } from '../../parts/chip.tsx';
import { StatusChip } from '../../parts/status-chip.tsx';
import { countText } from '../../text/numbers.ts';
import styles from './campaign.module.css';

/** The state of a campaign, and what holds it up. */
export function CampaignState({ campaign }: { readonly campaign: CampaignSummary }) {
  const { status, has_next_version, faults, is_waiting_for_you: isYours } = campaign;
  return (
    <span className={styles.state}>
      <StatusChip status={status} />
      {isYours && <Chip tone="attention">Waiting for you</Chip>}
      {!isYours && has_next_version && <Chip isHollow>Changes waiting</Chip>}
      {faults > 0 && <Chip tone="fault">{countText(faults, 'fault')}</Chip>}
    </span>
  );
}
