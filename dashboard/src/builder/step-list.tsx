import type { ReactNode } from 'react';
import styles from './builder.module.css';
import type { BuilderPlace } from './state.ts';
import type { StepStatus } from './step-status.ts';

interface Props {
  readonly place: BuilderPlace;
  readonly statuses: readonly StepStatus[];
  readonly linkTo: (to: { readonly place: BuilderPlace }, content: ReactNode, className?: string) => ReactNode;
}

const labels: Readonly<Record<BuilderPlace, string>> = {
  details: 'Details',
  schedule: 'Schedule',
  flows: 'Flows',
  goals: 'Goals',
  review: 'Review',
};

/** The steps, each with its state: complete, so many faults, or not begun. */
export function StepList({ place, statuses, linkTo }: Props) {
  const wrong = statuses.reduce((sum, { faults }) => sum + faults.length, 0);
  return (
    <nav aria-label="Steps">
      <ol className={styles.steps}>
        {statuses.map((status) => (
          <li key={status.step} {...(status.step === place && { 'aria-current': 'step' })}>
            {linkTo({ place: status.step }, <Label status={status} />, styles.step)}
          </li>
        ))}
        <li {...(place === 'review' && { 'aria-current': 'step' })}>
          {linkTo(
            { place: 'review' },
            <>
              <span className={styles.mark} aria-hidden="true">
                {wrong === 0 ? '✓' : '○'}
              </span>
              {labels.review}
            </>,
            styles.step,
          )}
        </li>
      </ol>
    </nav>
  );
}

function Label({ status: { step, kind, faults } }: { readonly status: StepStatus }) {
  const words = {
    complete: 'complete',
    faulty: faults.length === 1 ? '1 fault' : `${faults.length} faults`,
    not_begun: 'not begun',
  };
  const marks = { complete: '✓', faulty: String(faults.length), not_begun: '○' };
  const look = kind === 'complete' ? styles.complete : kind === 'faulty' ? styles.faulty : '';
  return (
    <>
      <span className={`${styles.mark} ${look}`} role="img" aria-label={words[kind]}>
        {marks[kind]}
      </span>
      {labels[step]}
    </>
  );
}
