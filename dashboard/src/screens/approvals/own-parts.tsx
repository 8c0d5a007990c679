import type { CampaignView } from '../../api/types.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { ownedParts } from '../campaign/part-words.ts';
import { useSentenceContext } from '../campaign/use-sentence-context.ts';
import styles from './approvals.module.css';

/** The parts of the next version: the organisation's own first, the others with a lock and the name of their owner. */
export function OwnParts({ campaign }: { readonly campaign: CampaignView }) {
  const own = useOrganisation().id;
  const context = useSentenceContext(campaign);
  const parts = ownedParts(campaign.draft?.document, context);
  const isOwn = ({ owner }: { readonly owner: number }) => owner === own;
  const sorted = [...parts.filter(isOwn), ...parts.filter((part) => !isOwn(part))];
  return (
    <Card>
      {!parts.some(isOwn) && <p>No part is yours. Your approval is asked because the campaign moves your points.</p>}
      <ul className={styles.parts}>
        {sorted.map((part) => (
          <li key={part.pointer} className={isOwn(part) ? styles.own : styles.locked}>
            {isOwn(part) ? <Icon name="check" /> : <Icon name="lock" />}
            <span className={styles.text}>{part.text}</span>
            <span className={styles.owner}>{isOwn(part) ? 'Yours' : context.names.organisation?.(part.owner)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
