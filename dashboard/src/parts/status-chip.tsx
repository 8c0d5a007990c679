import type { CampaignStatus } from '../api/types.ts';
import { statusWords } from '../text/campaign-words.ts';
import { Chip } from './chip.tsx';

/** The state of a campaign, in the server's word. */
export function StatusChip({ status }: { readonly status: CampaignStatus }) {
  const { label, tone, isHollow } = statusWords[status];
  return (
    <Chip tone={tone} isHollow={isHollow}>
      {label}
    </Chip>
  );
}
