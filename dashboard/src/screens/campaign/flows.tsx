import { flowSentence } from '../../../../shared/domain/campaign/words/flow-sentence.ts';
import type { CampaignView } from '../../api/types.ts';
import { Card } from '../../parts/card.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import styles from './campaign.module.css';
import { flowsOf } from './document.ts';
import { useSentenceContext } from './use-sentence-context.ts';

interface Props {
  readonly campaign: Pick<CampaignView, 'type' | 'partnership'>;
  readonly document: unknown;
}

/** What each flow of a campaign gives, as sentences. */
export function Flows({ campaign, document }: Props) {
  const context = useSentenceContext(campaign);
  const flows = flowsOf(document);
  if (flows.length === 0) return <p className={styles.quiet}>It has no flow yet: members would get nothing.</p>;
  return (
    <Card>
      <ol className={styles.flows}>
        {flows.map((flow, position) => (
          <li key={`flow ${String(flow.id ?? position)}`}>
            <Sentence pieces={flowSentence(flow, `/flows/${position}`, context)} />
          </li>
        ))}
      </ol>
    </Card>
  );
}
