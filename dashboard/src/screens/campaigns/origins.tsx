import { FileTrigger } from 'react-aria-components/FileTrigger';
import type { TemplateView } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import styles from './origins.module.css';
import type { Origin } from './use-new-campaign.ts';

interface Props {
  readonly templates: readonly TemplateView[];
  /** The key of the origin from which a campaign is being made; null if none is. */
  readonly busyWith: string | null;
  readonly onBegin: (origin: Origin) => void;
}

/** What a campaign can begin with, templates first. */
export function Origins({ templates, busyWith, onBegin }: Props) {
  const create = (key: string, label: string, origin: Origin) => (
    <Button
      isBusy={busyWith === key}
      isDisabled={busyWith !== null && busyWith !== key}
      onPress={() => onBegin(origin)}
      aria-label={label}
    >
      {key === 'scratch' ? 'Start from scratch' : 'Use template'}
    </Button>
  );
  return (
    <ul className={styles.origins}>
      {templates.map(({ id, name, description, type, owner }) => (
        <li key={id}>
          <Card>
            <div className={styles.text}>
              <h3>{name}</h3>
              <p className={styles.quiet}>
                {typeWords[type]} · {owner === null ? 'Offered by the platform' : owner.name}
              </p>
              {description && <p>{description}</p>}
            </div>
            {create(`template ${id}`, `Use template ${name}`, { kind: 'template', id })}
          </Card>
        </li>
      ))}
      <li>
        <Card>
          <div className={styles.text}>
            <h3>An empty campaign</h3>
            <p>You choose its type, dates and flows yourself.</p>
          </div>
          {create('scratch', 'Start from scratch', { kind: 'scratch' })}
        </Card>
      </li>
      <li>
        <Card>
          <div className={styles.text}>
            <h3>A file</h3>
            <p>A campaign that was exported as JSON, or written by hand.</p>
          </div>
          <FileTrigger
            acceptedFileTypes={['application/json', '.json']}
            onSelect={(files) => {
              const file = files?.[0];
              if (file) onBegin({ kind: 'file', file });
            }}
          >
            <Button isBusy={busyWith === 'file'} isDisabled={busyWith !== null && busyWith !== 'file'}>
              Choose file
            </Button>
          </FileTrigger>
        </Card>
      </li>
    </ul>
  );
}
