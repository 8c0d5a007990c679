import { goalKinds } from '../../../../shared/domain/campaign/document/kinds/registry.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Progress } from '../../parts/progress.tsx';
import { numberText } from '../../text/numbers.ts';
import styles from './campaign.module.css';

/** The goals of a campaign, each as a bar. */
export function Goals({ goals }: Pick<CampaignSummary, 'goals'>) {
  return (
    <ul className={styles.goals}>
      {goals.map(({ type, current, target }) => (
        <li key={type}>
          <Progress
            label={`Goal: ${labelOf(type)}`}
            value={current}
            target={target}
            text={`${numberText(current)} of ${numberText(target)}`}
          />
        </li>
      ))}
    </ul>
  );
}

const labelOf = (type: string) => goalKinds.find(({ name }) => name === type)?.form.label ?? type;
