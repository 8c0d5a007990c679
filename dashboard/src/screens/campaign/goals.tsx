import { goalKinds } from '../../../../shared/domain/campaign/document/kinds/registry.ts';
import type { CampaignSummary, GoalView } from '../../api/types.ts';
import { Progress } from '../../parts/progress.tsx';
import { numberText } from '../../text/numbers.ts';
import styles from './campaign.module.css';

/** The goals of a campaign, each as a bar. */
export function Goals({ goals }: Pick<CampaignSummary, 'goals'>) {
  return (
    <ul className={styles.goals}>
      {goals.map((goal) => (
        <li key={goal.type}>
          <GoalProgress goal={goal} />
        </li>
      ))}
    </ul>
  );
}

/** How much of a goal is reached. */
export function GoalProgress({ goal, isCompact = false }: { readonly goal: GoalView; readonly isCompact?: boolean }) {
  const { type, current, target } = goal;
  const label = goalKinds.find(({ name }) => name === type)?.form.label ?? type;
  const text = isCompact
    ? `${Math.floor((100 * current) / target)} % of ${numberText(target)}`
    : `${numberText(current)} of ${numberText(target)}`;
  return <Progress label={label} value={current} target={target} text={text} isCompact={isCompact} />;
}
