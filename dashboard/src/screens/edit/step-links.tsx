import { Link } from '@tanstack/react-router';
import { useBuilder } from '../../builder/context.ts';
import { stepStatuses } from '../../builder/step-status.ts';
import { classes } from '../../parts/classes.ts';
import { Icon } from '../../parts/icon.tsx';
import { countText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './edit.module.css';
import { editPlaces } from './steps.ts';

/** The steps, each with how far it is. */
export function StepLinks({ campaign }: { readonly campaign: number }) {
  const organisation = String(useOrganisation().id);
  const { state, faults } = useBuilder();
  const statuses = new Map(stepStatuses(state, faults).map((status) => [status.step as string, status]));
  return (
    <nav aria-label="Steps">
      <ol className={styles.steps}>
        {editPlaces.map(({ place, label }) => {
          const status = statuses.get(place);
          return (
            <li key={place}>
              <Link
                to="/$organisation/campaigns/$campaign/edit/$step"
                params={{ organisation, campaign: String(campaign), step: place }}
                className={styles.step}
              >
                <Mark kind={status?.kind ?? 'not_begun'} faults={status?.faults.length ?? 0} />
                {label}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

interface MarkProps {
  readonly kind: 'complete' | 'faulty' | 'not_begun';
  readonly faults: number;
}

function Mark({ kind, faults }: MarkProps) {
  return (
    <span className={classes(styles.mark, kind !== 'not_begun' && styles[kind])}>
      {kind === 'complete' && <Icon name="check" />}
      {kind === 'faulty' && <span aria-hidden="true">{faults}</span>}
      <span className={styles.hidden}>{kind === 'faulty' ? countText(faults, 'fault') : kind.replace('_', ' ')}</span>
    </span>
  );
}
