import type { CampaignView } from '../../api/types.ts';
import { Card } from '../../parts/card.tsx';
import { Figures, type FigureValue } from '../../parts/figure.tsx';
import { dollarsText, numberText } from '../../text/numbers.ts';
import { Goals } from './goals.tsx';

/** What a campaign gave until now, and how far its goals are. */
export function CampaignFigures({ campaign }: { readonly campaign: CampaignView }) {
  return (
    <Card>
      <Figures figures={figuresOf(campaign)} />
      {campaign.goals.length > 0 && <Goals goals={campaign.goals} />}
    </Card>
  );
}

/** The figures that campaigns of the type can have, and others only if there are any. */
function figuresOf({ type, totals }: CampaignView): FigureValue[] {
  const { earned_points, redeemed_points, cashback_cents, transactions, registrations } = totals;
  const gives = type === 'EARN' || type === 'TRANSFER';
  const takes = type === 'REDEEM' || type === 'TRANSFER';
  return [
    ...(gives || earned_points > 0 ? [{ label: 'Points earned', value: numberText(earned_points) }] : []),
    ...(takes || redeemed_points > 0 ? [{ label: 'Points redeemed', value: numberText(redeemed_points) }] : []),
    ...(cashback_cents > 0 ? [{ label: 'Cashback', value: dollarsText(cashback_cents) }] : []),
    ...(gives || takes ? [{ label: 'Transactions', value: numberText(transactions) }] : []),
    { label: 'Registrations', value: numberText(registrations) },
  ];
}
