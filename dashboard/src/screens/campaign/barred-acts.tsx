import type { CampaignView } from '../../api/types.ts';
import { actLabels } from './act-words.ts';
import styles from './campaign.module.css';

/** The acts that the person cannot do now, each with the reason. */
export function BarredActs({ acts }: Pick<CampaignView, 'acts'>) {
  const barred = acts.filter(({ is_allowed, reason }) => !is_allowed && reason !== null);
  if (barred.length === 0) return null;
  return (
    <details className={styles.barred}>
      <summary>What you cannot do with it now, and why</summary>
      <dl>
        {barred.map(({ act, reason }) => (
          <div key={act}>
            <dt>{actLabels[act]}</dt>
            <dd>{reason}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
