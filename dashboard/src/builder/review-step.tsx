import type { ReactNode } from 'react';
import { isObject } from '../../../shared/domain/campaign/document/tree.ts';
import { flowSentence } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { Banner } from '../parts/banner.tsx';
import { Card } from '../parts/card.tsx';
import { Section } from '../parts/page.tsx';
import { Sentence } from '../parts/sentence.tsx';
import styles from './builder.module.css';
import { useBuilder } from './context.ts';
import { inputAt, labelOf } from './labels.ts';
import { listAt, type Pointer } from './pointer.ts';
import { sentenceContextOf } from './sentence-context.ts';
import { faultText } from './step-status.ts';

interface Props {
  /** A link to the field at a pointer. */
  readonly linkTo: (pointer: Pointer, text: string) => ReactNode;
  /** What differs from the version that runs. */
  readonly differences: ReactNode;
  /** The acts on the whole campaign, such as its approval. */
  readonly acts: ReactNode;
}

/** All of the campaign before its approval: what it does, what is wrong, and what it changes. */
export function ReviewStep({ linkTo, differences, acts }: Props) {
  const { state, campaign, type, faults } = useBuilder();
  const flows = listAt(state.document, '/flows').filter(isObject);
  return (
    <div className={styles.content}>
      {faults.length > 0 && (
        <Banner
          tone="fault"
          isAlert={false}
          title={
            faults.length === 1
              ? '1 fault to mend before it can be approved'
              : `${faults.length} faults to mend before it can be approved`
          }
        >
          <ul className={styles.faults}>
            {faults.map((fault) => (
              <li key={`${fault.pointer} ${fault.code}`}>
                {linkTo(
                  fault.pointer,
                  faultText(fault, labelOf(state.document, fault.pointer), inputAt(state.document, fault.pointer)),
                )}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <Section title="What will run">
        <Card>
          <div className={styles.content}>
            {flows.map((flow, position) => (
              <Sentence
                key={state.keys[`/flows/${position}`]}
                pieces={flowSentence(flow, `/flows/${position}`, sentenceContextOf(campaign, type))}
              />
            ))}
            {flows.length === 0 && <p className={styles.quiet}>It has no flow yet.</p>}
          </div>
        </Card>
      </Section>
      {differences}
      {acts}
    </div>
  );
}
