import type { TransactionIds } from '../domain/award/reservation.ts';
import type { TriggerEvent } from '../domain/trigger/trigger-event.ts';
import { TriggerEventIdTakenError, Triggers } from '../store/trigger/triggers.ts';
import { decideAndWrite } from './decide-and-write.ts';
import type { Deps } from './deps.ts';

export const recordTriggerEventStores = { triggers: Triggers };

/** Records an event under new ids. Two events of one second share an integer id once in two million times. */
export function recordTriggerEvent(
  eventOf: (ids: TransactionIds) => TriggerEvent,
  deps: Pick<Deps<typeof recordTriggerEventStores>, 'triggers' | 'nextIds' | 'nextUuid' | 'table'>,
): Promise<TriggerEvent> {
  return decideAndWrite(
    {
      subject: 'the id of a trigger event',
      load: () => eventOf(deps.nextIds()),
      write: async (event) => {
        await deps.triggers.record(event, deps.nextUuid());
        return event;
      },
      conflicts: [TriggerEventIdTakenError],
    },
    deps,
  );
}
