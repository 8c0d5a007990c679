import { useState } from 'react';
import { flowTriggerOf, triggerKinds } from '../../../shared/domain/trigger/trigger.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import styles from './builder.module.css';
import { useBuilder } from './context.ts';
import { EventDialog } from './event-dialog.tsx';
import type { Pointer } from './pointer.ts';

interface Props {
  /** The kind of the trigger. */
  readonly kind: string;
  /** The trigger of the flow. */
  readonly pointer: Pointer;
}

/** Makes an event for a flow that begins with events of the partnership, and says which there are. */
export function NewEvent({ kind, pointer }: Props) {
  const { campaign, change, makeEvent } = useBuilder();
  const [isOpen, setOpen] = useState(false);
  const event = triggerKinds.find((one) => one === kind);
  if (event === undefined) return null;
  const events = campaign.settings.triggers.filter((one) => one.event === event && one.isActive);
  return (
    <div className={styles.buttons}>
      {event === 'REFERRAL' && events.length > 0 && (
        <p className={styles.quiet}>{`Reported by these events too: ${events.map(({ name }) => name).join(', ')}.`}</p>
      )}
      {event === 'CUSTOM' && events.length === 0 && !makeEvent && (
        <p className={styles.quiet}>
          There is no event yet. Owners and developers of an organisation can make one here.
        </p>
      )}
      {makeEvent && (
        <Button size="small" onPress={() => setOpen(true)}>
          <Icon name="plus" /> New event
        </Button>
      )}
      {makeEvent && isOpen && (
        <EventDialog
          event={event}
          make={makeEvent}
          onMade={(made) => {
            setOpen(false);
            change({ kind: 'set', pointer, value: flowTriggerOf(made) });
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
