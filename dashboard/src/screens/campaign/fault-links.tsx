import { Link } from '@tanstack/react-router';
import type { FaultView } from '../../api/types.ts';
import { stepOf } from '../../builder/step-status.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './campaign.module.css';

interface Props {
  readonly campaign: number;
  readonly faults: readonly FaultView[];
}

/** The faults of a draft. Each leads to its field in the builder. */
export function FaultLinks({ campaign, faults }: Props) {
  const organisation = String(useOrganisation().id);
  return (
    <ul className={styles.faults}>
      {faults.map(({ pointer, code, message }) => (
        <li key={`${pointer} ${code}`}>
          <Link
            to="/$organisation/campaigns/$campaign/edit/$step"
            params={{ organisation, campaign: String(campaign), step: stepOf(pointer) }}
            search={{ field: pointer }}
          >
            {sentence(message)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
