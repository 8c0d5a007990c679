import type { CampaignView } from '../../api/types.ts';
import { Facts } from '../../parts/facts.tsx';
import { Instant } from '../../parts/instant.tsx';
import { typeWords } from '../../text/campaign-words.ts';

/** What kind of campaign it is, with whom, and when it runs. */
export function CampaignFacts({ campaign }: { readonly campaign: CampaignView }) {
  const { type, partnership, starts_at, ends_at } = campaign;
  const { merchant, partner, time_zone } = partnership;
  return (
    <Facts
      facts={[
        { label: 'Type', value: typeWords[type] },
        { label: 'Partnership', value: `${merchant.name} and ${partner.name}` },
        {
          label: 'Starts',
          value: starts_at === null ? 'when approved' : <Instant at={starts_at} timeZone={time_zone} />,
        },
        { label: 'Ends', value: ends_at === null ? 'no end' : <Instant at={ends_at} timeZone={time_zone} /> },
      ]}
    />
  );
}
