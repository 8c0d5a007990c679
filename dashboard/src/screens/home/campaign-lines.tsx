import { Link } from '@tanstack/react-router';
import type { CampaignSummary } from '../../api/types.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { otherSideOf } from '../campaign/campaign-sides.ts';
import { CampaignState } from '../campaign/campaign-state.tsx';
import styles from './home.module.css';

interface Props {
  readonly campaigns: readonly CampaignSummary[];
  /** What is special about each campaign here; its state by default. */
  readonly detail?: (campaign: CampaignSummary) => string;
  /** Whether the lines lead to the approval. */
  readonly isReview?: boolean;
}

/** Campaigns as lines that lead to them. */
export function CampaignLines({ campaigns, detail, isReview = false }: Props) {
  const organisation = useOrganisation().id;
  return (
    <Card isFlush>
      <ul>
        {campaigns.map((campaign) => (
          <li key={campaign.id} className={styles.line}>
            <Link
              to={isReview ? '/$organisation/approvals/$campaign' : '/$organisation/campaigns/$campaign'}
              params={{ organisation: String(organisation), campaign: String(campaign.id) }}
              className={styles.link}
            >
              <span className={styles.text}>
                <span className={styles.name}>{campaign.name}</span>
                <span className={styles.quiet}>
                  {typeWords[campaign.type]} · {otherSideOf(campaign, organisation).name}
                </span>
              </span>
              {detail ? (
                <span className={styles.detail}>{detail(campaign)}</span>
              ) : (
                <CampaignState campaign={campaign} />
              )}
              <Icon name="right" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
