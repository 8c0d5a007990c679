import type { InternalEvent } from '../contracts/events.ts';
import { integerIdOf } from '../domain/ids.ts';
import { awardRequestForTrigger, finalizeTriggerEvent } from '../domain/trigger/trigger-event.ts';
import { eventChangeWrite, Triggers } from '../store/trigger/triggers.ts';
import { awardEvent, awardEventStores, loadEarner } from './award-event.ts';
import type { Deps } from './operation.ts';

export const processTriggerStores = { ...awardEventStores, triggers: Triggers };

/**
 * Awards a trigger event. The new transactions are pending until the program confirms them.
 *
 * Safe to repeat from the point where an earlier run ended: the write of each award also adds its
 * transactions to the trigger event, and each campaign awards a trigger event once.
 *
 * @throws Error when the trigger event or its user is not found, or another run is faster
 */
export async function processTrigger(
  { entityId }: InternalEvent,
  deps: Deps<typeof processTriggerStores>,
): Promise<void> {
  const event = await deps.triggers.findEvent(integerIdOf(entityId) ?? 0);
  if (event?.uuid !== entityId) throw new Error(`there is no trigger event ${entityId}`);
  const { state, userId, merchantId, partnershipUuid } = event;
  if (state !== 'RECEIVED' || userId === null) return;

  const { record, rejection } = await awardEvent(
    {
      ...awardRequestForTrigger(event),
      loadEarner: (at) => loadEarner({ userId, merchantId, under: ({ uuid }) => uuid === partnershipUuid }, at, deps),
      record: event,
      writesFor: (changed) => [eventChangeWrite(changed)],
    },
    deps,
  );
  await deps.triggers.changeEvent(finalizeTriggerEvent(record, rejection, deps.now()));
}
